interface Field {
  name: string;
}

/** The numbers that were typed, and what is wrong with those that are none; empty fields are left out. */
export function numbersOf(
  fields: readonly Field[],
  texts: Readonly<Record<string, string>>,
): { numbers: Record<string, number>; faults: Record<string, string> } {
  const numbers: Record<string, number> = {};
  const faults: Record<string, string> = {};
  for (const { name } of fields) {
    const text = (texts[name] ?? '').trim().replace(',', '.');
    if (text === '') continue;
    const number = Number(text);
    if (Number.isFinite(number)) numbers[name] = number;
    else faults[name] = 'Type a number';
  }
  return { numbers, faults };
}

/** An error of the API, at the field that its text begins with; `rest`: one of no field here. */
export function faultAt(
  error: Error | null,
  word: string,
  fields: readonly Field[],
): { fields: Record<string, string>; rest: Error | null } {
  for (const { name } of fields) {
    const [at, ...text] = error?.message.split(': ') ?? [];
    const isHere = at === `${word}.${name}` || at?.startsWith(`${word}.${name} `) === true;
    if (isHere && error !== null)
      return { fields: { [name]: text.length > 0 ? text.join(': ') : error.message }, rest: null };
  }
  return { fields: {}, rest: error };
}
