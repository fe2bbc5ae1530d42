/** Passkeys as the browser makes and uses them. The API has their options and results as texts of JSON. */

/** Whether this browser can make and use passkeys here. Browsers allow it only over https, and on loopback. */
export function hasPasskeys(): boolean {
  return (
    window.isSecureContext &&
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function'
  );
}

/** Makes a passkey by the options of the service. Returns the result for the service. */
export async function makePasskey(options: string): Promise<string> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    JSON.parse(options) as PublicKeyCredentialCreationOptionsJSON,
  );
  return resultOf(await explained(() => navigator.credentials.create({ publicKey })));
}

/** Has the person use a passkey for a challenge of the service. Returns the result for the service. */
export async function askForPasskey(options: string): Promise<string> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    JSON.parse(options) as PublicKeyCredentialRequestOptionsJSON,
  );
  return resultOf(await explained(() => navigator.credentials.get({ publicKey })));
}

function resultOf(credential: Credential | null): string {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser gave no passkey. Try again.');
  return JSON.stringify(credential.toJSON());
}

/** Runs a call of the browser. Throws an error that people understand where it was cancelled or is not possible. */
async function explained<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    const name = cause instanceof DOMException ? cause.name : '';
    if (name === 'InvalidStateError') throw new Error('This device has a passkey of yours already. Use it.', { cause });
    if (name === 'NotAllowedError') throw new Error('The passkey was not used. Try again.', { cause });
    throw new Error('This browser cannot use passkeys at this address. Use another way.', { cause });
  }
}
