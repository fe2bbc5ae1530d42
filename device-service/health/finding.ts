/** A fault of a phone and its description for the customer; undefined: the phone is healthy. */
export type Finding = { kind: FindingKind; message: string } | undefined;
export type FindingKind = 'adb' | 'identity' | 'boot' | 'storage' | 'screen' | 'exit';
