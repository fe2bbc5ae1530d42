/** A text that was typed as a secret. */
export interface Secret {
  text: string;
  /** Package names of the apps that it was typed into. An empty name: the app is not known. */
  apps: ReadonlySet<string>;
  /** The texts like the secret that the screen showed before the secret was typed. */
  before: ShownBefore;
}

/** The texts that a screen showed before a secret was typed. They are not the secret, although they look like it or a part of it. */
export interface ShownBefore {
  /** Whole texts. */
  texts: ReadonlySet<string>;
  /** Parts of texts that look like the secret, with the word before or after them, in lower case. */
  inContext: ReadonlySet<string>;
  /** Words that are a part of the secret, in lower case. */
  words: ReadonlySet<string>;
  /** Whether the secret is a word of a hint or of a resource id. */
  isName: boolean;
}

/** Facts about a text that its characters do not show. */
export interface TextKind {
  /** Whether it is the content of a field that takes text. */
  isField: boolean;
}

export const NOTHING_BEFORE: ShownBefore = {
  texts: new Set(),
  inContext: new Set(),
  words: new Set(),
  isName: false,
};
