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
