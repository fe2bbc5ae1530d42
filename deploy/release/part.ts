/** What the parts of a release work with. */
export interface Release {
  /** Folder of the repository, after `npm ci`. */
  root: string;
  /** Folder that the files of the release are written into. */
  output: string;
  version: string;
  /** Images that the service's image is built with; absent: those of deploy/Dockerfile. */
  images: { node?: string; base?: string };
}

/** One part of a release. Checks come before builds, and no build runs when one of them failed. */
export interface Part {
  /** The name that `--only` takes. */
  readonly name: string;
  readonly isCheck: boolean;
  /** Returns what was done, for people. Throws SkippedPart where this machine cannot do it, and another error for a fault. */
  readonly run: (release: Release) => Promise<string>;
}

/** A part that cannot be made on this machine, with the reason and the way to change it. */
export class SkippedPart extends Error {
  override readonly name = 'SkippedPart';
}
