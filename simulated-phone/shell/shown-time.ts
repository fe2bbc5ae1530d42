/**
 * Returns the output of `time`, in the shell's own format or that of POSIX. Processor times are 0, as the phone's commands have none of
 * their own.
 */
export function shownTime(ms: number, format: 'long' | 'posix'): string {
  if (format === 'posix') return `real ${(ms / 1000).toFixed(2)}\nuser 0.00\nsys 0.00\n`;
  const minutes = String(Math.floor(ms / 60_000)).padStart(5);
  const seconds = ((ms % 60_000) / 1000).toFixed(2).padStart(5, '0');
  return `${minutes}m${seconds}s real     0m00.00s user     0m00.00s system\n`;
}
