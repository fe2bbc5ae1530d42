/** Names an activity by its package and its class. The class name begins with a dot (`.ui.Main`) when it is relative to the package. */
export interface ComponentName {
  package: string;
  name: string;
}

/**
 * Parses `com.x/com.x.ui.Main` and `com.x/.ui.Main`, which name the same activity. Returns undefined when either side of the slash is
 * missing.
 */
export function parseComponent(text: string): ComponentName | undefined {
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1) return undefined;
  const packageName = text.slice(0, slash);
  const long = text.slice(slash + 1);
  return { package: packageName, name: long.startsWith(`${packageName}.`) ? long.slice(packageName.length) : long };
}

/** Returns the component as `com.x/.ui.Main`; other texts are returned unchanged. */
export function shortComponent(text: string): string {
  const parsed = parseComponent(text);
  return parsed ? `${parsed.package}/${parsed.name}` : text;
}

/** Returns the component as `com.x/com.x.ui.Main`; other texts are returned unchanged. */
export function longComponent(text: string): string {
  const parsed = parseComponent(text);
  return parsed?.name.startsWith('.') === true ? `${parsed.package}/${parsed.package}${parsed.name}` : text;
}
