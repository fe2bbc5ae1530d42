/**
 * Some calls need it that the person showed again, within ten minutes, who it is. The service then refuses them with a text that names this
 * call. The panel asks for the second factor, and repeats the refused call once.
 */
const CONFIRMS = /POST \/v1\/session\/confirm/;

/** Asks the person for a second factor. Resolves to whether the session is confirmed now. */
export type AskToConfirm = () => Promise<boolean>;

let ask: AskToConfirm | undefined;
/** The question that is open, which all refused calls wait for. */
let asking: Promise<boolean> | undefined;

/** Sets how the person is asked. Returns the function that ends this. */
export function onStepUp(next: AskToConfirm): () => void {
  ask = next;
  return () => {
    if (ask === next) ask = undefined;
  };
}

/** Sends a request. Where it is refused until the person confirms, asks the person, and sends it once more. */
export async function sendConfirmed(
  request: Request,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  // What only reads is never refused so, and the copy would keep its body for nothing.
  if (request.method === 'GET' || ask === undefined) return send(request);
  const again = request.clone();
  const response = await send(request);
  if (response.status !== 403 || !CONFIRMS.test(await response.clone().text())) return response;
  return (await isConfirmed()) ? send(again) : response;
}

/** Asks the person, unless that was done already. Resolves to false where nobody can be asked any more, as the session ended meanwhile. */
function isConfirmed(): Promise<boolean> {
  asking ??= (ask?.() ?? Promise.resolve(false)).finally(() => (asking = undefined));
  return asking;
}
