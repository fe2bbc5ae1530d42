/** Most facts of a report, and most characters of a name and of a value: a command of the operator prints them. */
const MAX_FACTS = 20;
const MAX_NAME_CHARACTERS = 40;
const MAX_VALUE_CHARACTERS = 200;

const LINE = new RegExp(`^([a-z][a-z0-9_]{0,${MAX_NAME_CHARACTERS - 1}})=(.*)$`);

/** Reads lines of NAME=VALUE. Throws an error with the first line that is none, as a report without its facts is of little use. */
export function hostFactsIn(printed: string): Record<string, string> {
  const lines = printed.split('\n').map((line) => line.trim());
  const facts = lines
    .filter((line) => line !== '')
    .map((line) => {
      const [, name = '', value = ''] = LINE.exec(line) ?? [];
      if (name === '' || value === '' || value.length > MAX_VALUE_CHARACTERS)
        throw new Error(
          `--about-command has to print lines of NAME=VALUE, such as engine=docker 27.3. It printed: ${line.slice(0, MAX_VALUE_CHARACTERS)}`,
        );
      return [name, value] as const;
    });
  if (facts.length > MAX_FACTS) throw new Error(`--about-command printed more than ${MAX_FACTS} lines.`);
  return Object.fromEntries(facts);
}
