/** The size of pieces, bytes: handling one costs more than copying little, and a large one holds up the others of a connection. */
const PIECE_BYTES = 64 * 1024;

/** Returns the same bytes in pieces of at most 64 KiB, none of which is empty. Small neighbours are joined, large pieces cut without a copy. */
export function joinPieces(pieces: readonly Buffer[]): Buffer[] {
  const joined: Buffer[] = [];
  let small: Buffer[] = [];
  let smallBytes = 0;
  const flush = (): void => {
    if (smallBytes > 0) joined.push(Buffer.concat(small, smallBytes));
    small = [];
    smallBytes = 0;
  };
  for (const piece of pieces) {
    if (smallBytes + piece.length > PIECE_BYTES) flush();
    if (piece.length > PIECE_BYTES / 2) {
      flush();
      for (let at = 0; at < piece.length; at += PIECE_BYTES) joined.push(piece.subarray(at, at + PIECE_BYTES));
    } else {
      small.push(piece);
      smallBytes += piece.length;
    }
  }
  flush();
  return joined;
}
