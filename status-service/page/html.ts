/** Returns the text with all characters of markup escaped. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Returns a number with its noun: `1 check`, `2 checks`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Returns a time as `22 Nov 2026, 13:05 UTC`, in an element that programs can read too. */
export function timeHtml(time: string): string {
  return `<time datetime="${time}">${dateText(time)}, ${time.slice(11, 16)} UTC</time>`;
}

/** Returns the date of a time or a day as `22 Nov 2026`. */
export function dateText(time: string): string {
  const month = MONTHS[Number(time.slice(5, 7)) - 1] ?? '';
  return `${Number(time.slice(8, 10))} ${month} ${time.slice(0, 4)}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns a duration as `2 h 5 min`, and in seconds when it is shorter than a minute. */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  const parts = [days > 0 ? `${days} d` : '', hours > 0 ? `${hours} h` : '', `${minutes % 60} min`];
  return parts.filter((part) => part !== '').join(' ');
}
