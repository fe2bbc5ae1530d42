import { Attribute } from './android-attribute.js';
import { ApkError } from './apk-error.js';
import type { XmlElement } from './binary-xml.js';
import { ValueType, type ResourceValue } from './resource-value.js';

/** An activity, or an alias of one, that the manifest declares and that is enabled. */
export interface ApkActivity {
  /** `com.x/.MainActivity` */
  component: string;
  /** Whether other apps may start it. */
  exported: boolean;
  filters: IntentFilter[];
}

/** The intents that an activity takes. When `schemes` and `mimeTypes` are both empty, it takes intents without data. */
export interface IntentFilter {
  actions: string[];
  categories: string[];
  /** `android:autoVerify`: the app claims the web addresses of the filter as its own, and their site has to confirm it. */
  autoVerify: boolean;
  schemes: string[];
  /** An empty `port` stands for any port. */
  hosts: { host: string; port: string }[];
  paths: { kind: 'literal' | 'prefix' | 'suffix' | 'pattern' | 'advanced'; text: string }[];
  mimeTypes: string[];
}

/** Large apps have 1,500 activities, each with about 100 characters of names. A phone keeps the activities of each of its apps. */
const MAX_ACTIVITIES = 3_000;
const MAX_TEXTS = 10_000;
const MAX_CHARS = 256 * 1024;
const MAX_TEXT_CHARS = 1_024;

/** From this target SDK on, an activity with filters is exported only if the manifest has `android:exported` for it. */
const FIRST_SDK_WITHOUT_DEFAULT_EXPORT = 31;

/**
 * Reads the activities of an app. `textOf` returns the text of a value, or of the resource that the value names. Throws ApkError for more
 * activities, or longer names, than apps have.
 */
export function activitiesOf(
  application: XmlElement | undefined,
  app: { package: string; targetSdk: number },
  textOf: (value: ResourceValue) => string | undefined,
): ApkActivity[] {
  const activities: ApkActivity[] = [];
  let count = 0;
  let chars = 0;
  const texts = (element: XmlElement, name: keyof typeof Attribute): string[] => {
    const attribute = element.attributes.find(({ resourceId }) => resourceId === Attribute[name]);
    const text = attribute && textOf(attribute.value);
    if (text === undefined) return [];
    if (text.length > MAX_TEXT_CHARS) throw malformed(`a name is too long: ${text.slice(0, 100)}`);
    chars += text.length;
    if (++count > MAX_TEXTS || chars > MAX_CHARS) throw malformed('its activities have too many names and filters');
    return [text];
  };
  for (const element of application?.children ?? []) {
    if (element.name !== 'activity' && element.name !== 'activity-alias') continue;
    if (flagOf(element, Attribute.enabled) === false) continue;
    const [name] = texts(element, 'name');
    if (name === undefined) continue;
    const filters = element.children.filter((one) => one.name === 'intent-filter').map((one) => filterOf(one, texts));
    const exported = flagOf(element, Attribute.exported) ?? (filters.length > 0 && app.targetSdk < FIRST_SDK_WITHOUT_DEFAULT_EXPORT); // prettier-ignore
    activities.push({ component: componentOf(app.package, name), exported, filters });
    if (activities.length > MAX_ACTIVITIES) throw malformed(`over ${MAX_ACTIVITIES} activities`);
  }
  return activities;
}

function filterOf(
  element: XmlElement,
  texts: (element: XmlElement, name: keyof typeof Attribute) => string[],
): IntentFilter {
  const children = (kind: string): XmlElement[] => element.children.filter((one) => one.name === kind);
  const data = children('data');
  const paths = (name: keyof typeof Attribute, kind: IntentFilter['paths'][number]['kind']): IntentFilter['paths'] =>
    data.flatMap((one) => texts(one, name)).map((text) => ({ kind, text }));
  return {
    actions: children('action').flatMap((one) => texts(one, 'name')),
    categories: children('category').flatMap((one) => texts(one, 'name')),
    autoVerify: flagOf(element, Attribute.autoVerify) ?? false,
    schemes: data.flatMap((one) => texts(one, 'scheme')),
    hosts: data.flatMap((one) => texts(one, 'host').map((host) => ({ host, port: texts(one, 'port')[0] ?? '' }))),
    paths: [
      ...paths('path', 'literal'),
      ...paths('pathPrefix', 'prefix'),
      ...paths('pathSuffix', 'suffix'),
      ...paths('pathPattern', 'pattern'),
      ...paths('pathAdvancedPattern', 'advanced'),
    ],
    mimeTypes: data.flatMap((one) => texts(one, 'mimeType')),
  };
}

/** Returns a component's name: `com.x/.Main` for `.Main`, `Main` and `com.x.Main`. */
export function componentOf(packageName: string, activity: string): string {
  const full = activity.startsWith('.') ? packageName + activity : activity.includes('.') ? activity : `${packageName}.${activity}`; // prettier-ignore
  return `${packageName}/${full.startsWith(`${packageName}.`) ? full.slice(packageName.length) : full}`;
}

function flagOf(element: XmlElement, resourceId: number): boolean | undefined {
  const value = element.attributes.find((attribute) => attribute.resourceId === resourceId)?.value;
  return value?.type === ValueType.BOOLEAN ? value.data !== 0 : undefined;
}

function malformed(detail: string): ApkError {
  return new ApkError('INSTALL_PARSE_FAILED_MANIFEST_MALFORMED', `Failed to parse manifest: ${detail}`);
}
