import { ObjectId } from 'bson';
import { CommandError } from '../values/command-error.js';
import type { Filter } from '../filter/filter.js';
import type { BsonDocument } from '../values/document.js';
import { parseTargetPath, Target } from './target.js';
import type { Update } from './update.js';

/**
 * Returns the document that an upsert inserts when nothing matched. It has the filter's equalities, and then the update is applied. `_id`
 * is made when neither gives one.
 */
export function upsertedDocument(filter: Filter, update: Update): BsonDocument {
  const document: BsonDocument = {};
  for (const [path, value] of equalitiesOf(filter)) new Target(document, parseTargetPath(path)).set(value);
  const { _id = new ObjectId(), ...fields } = update.apply(document, { inserting: true });
  return { _id, ...fields };
}

function equalitiesOf(filter: Filter): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const visit = (part: Filter): void => {
    if (part.kind === 'and') part.branches.forEach(visit);
    // An `$or` of one branch is an `$and`, as in MongoDB.
    else if (part.kind === 'or' && part.branches.length === 1) part.branches.forEach(visit);
    else if (part.kind === 'field' && part.test.op === 'eq') {
      const name = part.path.join('.');
      if (found.has(name))
        throw new CommandError(
          'BadValue',
          `the filter does not determine which value '${name}' should have when inserted`,
        );
      found.set(name, part.test.value);
    }
  };
  visit(filter);
  return found;
}
