/** A number of bytes for people. */
export function sizeOf(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  const isLarge = bytes >= 1024 * 1024;
  const value = isLarge ? bytes / 1024 / 1024 : bytes / 1024;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${isLarge ? 'MiB' : 'KiB'}`;
}
