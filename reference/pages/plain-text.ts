/** Returns a text without markup: for a title in the window's bar, or for the search. */
export function plainText(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replace(/`|\*\*/g, '');
}
