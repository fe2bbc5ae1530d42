/** An app that makes codes by RFC 6238. */
export interface TotpDocument {
  kind: 'totp';
  /** The secret in base32; sealed with SECRETS_KEY where there is one. */
  secret: string;
  /** The step of the code that was used last: it and those before are used up. 0: none was used. */
  lastStep: number;
}

/** A key of WebAuthn. */
export interface PasskeyDocument {
  kind: 'passkey';
  /** The id of the credential, in base64url. */
  credentialId: string;
  /** Its public key in COSE, in base64url. */
  publicKey: string;
  /** The counter of its last signature. 0: it has none. */
  counter: number;
  transports: string[];
}

/** A passkey that the browser is to make; the challenge that it signs is in base64url. */
export interface BegunPasskey {
  kind: 'passkey';
  challenge: string;
}

export interface FactorName {
  /** `fac_…`. */
  id: string;
  name: string;
  createdAt: Date;
}

/** A second factor that counts. */
export type FactorDocument = FactorName & { lastUsedAt?: Date } & (TotpDocument | PasskeyDocument);

/** The second factors of a person. They change as a whole, while `version` is the one that was read. */
export interface SecondFactors {
  /** Grows with each change. */
  version: number;
  /** The second factors that count, oldest first. */
  list: FactorDocument[];
  /** The one that the person began last and did not confirm. */
  begun?: FactorName & (TotpDocument | BegunPasskey);
  /** SHA-256 of the recovery codes that were not used, in lower-case hex. */
  recoveryCodes: string[];
}

/** Returns whether a person needs more than a password. */
export function hasSecondFactor({ secondFactors }: { secondFactors?: SecondFactors }): boolean {
  return secondFactors !== undefined && secondFactors.list.length > 0;
}
