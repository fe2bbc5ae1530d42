/** Id at the beginning of a line of `elements_text`. */
const ID = /^(\S+) /;

/** A line that has only a new place: `e7 @360,497`. */
const MOVED = /^(\S+) (@-?\d+,-?\d+)$/;

/** The place of an element in its line: the last one outside of quotes. */
const PLACE = / @-?\d+,-?\d+(?=(?: [a-z_]+)*$)/;

/** Elements that are not on the screen any more: `gone e3 e9`. */
const GONE = /^gone((?: \S+)*)$/;

/**
 * Applies the lines of a difference (`elements: changed`) to the lines of the observation before, and returns all lines that hold now. New
 * elements come last: a difference does not have their place in the reading order.
 */
export function applyChanges(before: string, changes: string): string {
  const lines = new Map(linesOf(before).map((line) => [idOf(line), line]));
  for (const line of linesOf(changes)) {
    const gone = GONE.exec(line);
    const moved = MOVED.exec(line);
    if (gone !== null) for (const id of (gone[1] ?? '').trim().split(' ')) lines.delete(id);
    else if (moved === null) lines.set(idOf(line), line);
    else {
      const [, id = '', place = ''] = moved;
      const known = lines.get(id);
      if (known !== undefined) lines.set(id, known.replace(PLACE, ` ${place}`));
    }
  }
  return [...lines.values()].join('\n');
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

function idOf(line: string): string {
  return ID.exec(line)?.[1] ?? line;
}
