/** An activity by the package and its name in it, `.ui.Main` when it lies below the package. */
export interface ComponentName {
  package: string;
  name: string;
}

/** Parses `com.x/com.x.ui.Main` and `com.x/.ui.Main`, which are one activity; undefined for other texts. */
export function parseComponent(text: string): ComponentName | undefined {
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1) return undefined;
  const packageName = text.slice(0, slash);
  const long = text.slice(slash + 1);
  return { package: packageName, name: long.startsWith(`${packageName}.`) ? long.slice(packageName.length) : long };
}

/** `com.x/.ui.Main`; other texts as they are. */
export function shortComponent(text: string): string {
  const parsed = parseComponent(text);
  return parsed ? `${parsed.package}/${parsed.name}` : text;
}

/** `com.x/com.x.ui.Main`; other texts as they are. */
export function longComponent(text: string): string {
  const parsed = parseComponent(text);
  return parsed?.name.startsWith('.') === true ? `${parsed.package}/${parsed.package}${parsed.name}` : text;
}
