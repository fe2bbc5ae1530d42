/** Returns a stored label, `team:qa`, in the form of selectors on the wire: `team=qa`. A label's key has neither sign. */
export function labelSelector(label: string): string {
  return label.replace(':', '=');
}

/** Returns the stored label that a selector on the wire names. */
export function labelOf(selector: string): string {
  return selector.replace('=', ':');
}
