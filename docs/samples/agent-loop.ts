interface Element {
  id: string;
  role: string;
  text?: string;
  label?: string;
}

interface Observation {
  app?: string;
  elements?: Element[];
}

/** One step of `act`, or nothing when the goal is reached. This is where a model decides; here are four rules. */
function decide({ app, elements = [] }: Observation, note: string): object | undefined {
  if (elements.some(({ text = '' }) => text.includes(note))) return undefined;
  if (app !== 'com.cloudphone.notes') return { open_app: { app: 'Notes' } };
  const field = elements.find(({ role }) => role === 'textfield');
  if (field !== undefined) return { type: { element: field.id, text: note } };
  const add = elements.find(({ text = '', label = '' }) => /new|add/i.test(text + label));
  if (add === undefined) return { key: { name: 'back' } };
  return { tap: { element: add.id } };
}

/** Writes a note on a phone: looks, decides, acts, and looks again. `url` is the base URL, with /v1. */
export async function writeNote(url: string, key: string, device: string, note: string): Promise<number> {
  const request = async (path: string, body?: object): Promise<{ observation: Observation }> => {
    const response = await fetch(`${url}/devices/${device}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as { observation: Observation };
  };
  let { observation } = await request('/observe?screenshot=none');
  for (let turn = 1; turn <= 20; turn++) {
    const step = decide(observation, note);
    if (step === undefined) return turn;
    ({ observation } = await request('/act', { ...step, observe: 'elements' }));
  }
  throw new Error('The goal was not reached in 20 turns.');
}
