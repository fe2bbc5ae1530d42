/** A part of a file. */
export interface ByteRange {
  first: number;
  bytes: number;
}

/**
 * Returns the part of a file of `size` bytes that a Range header requests. Undefined: the whole file, as there is no header, or one with
 * several ranges or another form, which a server may ignore.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') {
    const bytes = Math.min(Number(to), size);
    return bytes === 0 ? 'unsatisfiable' : { first: size - bytes, bytes };
  }
  const [first, last] = [Number(from), to === '' ? size - 1 : Math.min(Number(to), size - 1)];
  if (to !== '' && Number(to) < first) return undefined;
  return first >= size ? 'unsatisfiable' : { first, bytes: last - first + 1 };
}
