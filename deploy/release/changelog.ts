/** The section of a version in `CHANGELOG.md`. */
export interface Section {
  /** `0.2.0`, or `Unreleased`. */
  version: string;
  /** Such as `2026-11-25`; absent for what is not released. */
  date?: string;
  /** Below the heading, without blank lines around it. */
  text: string;
}

const HEADING = /^## (Unreleased|\d+\.\d+\.\d+)(?: - (\d{4}-\d{2}-\d{2}))?$/;

/** Returns the sections, newest first. Throws for a heading of another form, which would hide a version. */
export function readChangelog(text: string): Section[] {
  const [, ...parts] = text.split(/^(?=## )/m);
  return parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n');
    const [, version, date] = HEADING.exec(heading) ?? [];
    if (version === undefined)
      throw new Error(`CHANGELOG.md has the heading "${heading}". Write "## Unreleased" or "## 0.2.0 - 2026-11-25".`);
    return { version, ...(date !== undefined && { date }), text: lines.join('\n').trim() };
  });
}

/** What is missing in the changelog for a release of `version`; empty: nothing. */
export function changelogFaults(text: string, version: string): string[] {
  const sections = readChangelog(text);
  const section = sections.find((one) => one.version === version);
  if (section === undefined)
    return [`CHANGELOG.md has no section for ${version}. Rename "## Unreleased" to "## ${version} - YYYY-MM-DD".`];
  const faults: string[] = [];
  if (!isDate(section.date)) faults.push(`The section of ${version} has no date. Write "## ${version} - YYYY-MM-DD".`);
  if (section.text === '')
    faults.push(`The section of ${version} is empty. List what changed for users and operators.`);
  const unreleased = sections.find((one) => one.version === 'Unreleased');
  if (unreleased !== undefined && unreleased.text !== '')
    faults.push(
      `"## Unreleased" has entries, which would be in the release and not in its section. Move them to ${version}.`,
    );
  return faults;
}

function isDate(date: string | undefined): boolean {
  return date !== undefined && !Number.isNaN(Date.parse(`${date}T00:00:00Z`));
}
