import type { AnyDesc } from '@bufbuild/protobuf';
import { type ErrorKind, errorKinds } from '../../kit/errors/api-error.js';
import { comments } from '../../proto/gen/comments_pb.js';

/** The comment of a declaration in its proto file, as Markdown; empty when it has none. */
export function commentOf(desc: Exclude<AnyDesc, { kind: 'file' | 'extension' }>): string {
  return comments.get(nameOf(desc)) ?? '';
}

function nameOf(desc: Exclude<AnyDesc, { kind: 'file' | 'extension' }>): string {
  return 'typeName' in desc ? desc.typeName : `${desc.parent.typeName}.${desc.name}`;
}

const KINDS = Object.keys(errorKinds) as ErrorKind[];

/** The kinds of errors that a comment names. */
export function kindsIn(comment: string): ErrorKind[] {
  return KINDS.filter((kind) => new RegExp(`\\b${kind}\\b`).test(comment));
}

/** Marks kinds of errors as code, in the paragraph of a comment that begins with `Errors:`. */
export function markKinds(comment: string): string {
  const kinds = new RegExp(`\\b(?:${KINDS.join('|')})\\b`, 'g');
  return comment
    .split('\n\n')
    .map((paragraph) =>
      paragraph.startsWith('Errors: ') ? paragraph.replace('Errors:', '**Errors:**').replace(kinds, '`$&`') : paragraph,
    )
    .join('\n\n');
}
