/** `com.x/com.x.ui.Main` and `com.x/.ui.Main` are one activity; this is the short form, or undefined for no component. */
export function componentName(text: string): { package: string; name: string; component: string } | undefined {
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1) return undefined;
  const packageName = text.slice(0, slash);
  const long = text.slice(slash + 1);
  const name = long.startsWith(`${packageName}.`) ? long.slice(packageName.length) : long;
  return { package: packageName, name, component: `${packageName}/${name}` };
}
