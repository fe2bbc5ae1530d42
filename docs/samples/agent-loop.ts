interface Observation {
  app?: string;
  elements_text: string;
  /** Absent: the text holds every element. */
  changed_since?: string;
}

/** Applies a response to the lines known so far, by id: the whole list, or what differs from it. */
function apply(known: Map<string, string>, { elements_text: text, changed_since }: Observation): void {
  if (changed_since === undefined) known.clear();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [id = '', rest = ''] = line.split(/ (.*)/s);
    if (id === 'gone') rest.split(' ').forEach((gone) => known.delete(gone));
    // Only moved: the place changes, what it is stays.
    else if (rest.startsWith('@')) known.set(id, (known.get(id) ?? '').replace(/@\d+,\d+/, rest));
    else known.set(id, rest);
  }
}

/** One step of `act`, or nothing when the goal is reached. This is where a model decides; here are four rules. */
function decide(app: string | undefined, lines: string[], note: string): object | undefined {
  if (lines.some((line) => line.includes(note))) return undefined;
  if (app !== 'com.cloudphone.notes') return { open_app: { app: 'Notes' } };
  if (lines.some((line) => line.startsWith('textfield "Title"'))) {
    return { type: { text: note, target: { text: 'Title', role: 'textfield' } } };
  }
  if (lines.some((line) => line.includes('"New note"'))) return { tap: { text: 'New note' } };
  return { key: { name: 'back' } };
}

/** Writes a note on a phone: looks, decides, acts, and looks again. `url` is the base URL, with /v1. */
export async function writeNote(url: string, key: string, device: string, note: string): Promise<number> {
  const request = async (path: string, body?: object): Promise<Observation> => {
    const response = await fetch(`${url}/devices/${device}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return ((await response.json()) as { observation: Observation }).observation;
  };
  const lines = new Map<string, string>();
  let seen = await request('/observe?screenshot=none&elements=compact');
  for (let turn = 1; turn <= 20; turn++) {
    apply(lines, seen);
    const step = decide(seen.app, [...lines.values()], note);
    if (step === undefined) return turn;
    seen = await request('/act', { ...step, observe: 'elements', elements: 'changed' });
  }
  throw new Error('The goal was not reached in 20 turns.');
}
