import classes from './labels.module.css';

/** Labels of a phone, key or group, by key, as the API has them. */
export type LabelsByKey = Readonly<Record<string, string>>;

/** Returns the labels as `key:value`, by key. */
export function labelTexts(labels: LabelsByKey): string[] {
  return Object.entries(labels)
    .map(([key, value]) => `${key}:${value}`)
    .sort();
}

/** Returns the labels with that of this key set, or removed by an empty value. */
export function withLabel(labels: LabelsByKey, key: string, value: string): LabelsByKey {
  return Object.fromEntries(Object.entries({ ...labels, [key]: value }).filter(([, text]) => text !== ''));
}

/** Shows the labels of the thing of this name. Renders nothing where it has none. */
export function Labels({ of, labels }: { of: string; labels: LabelsByKey }) {
  const texts = labelTexts(labels);
  if (texts.length === 0) return null;
  return (
    <ul className={classes.labels} aria-label={`Labels of ${of}`}>
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
