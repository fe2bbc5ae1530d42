import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { enumOf } from '../../../kit/text/wire-words.js';
import {
  type SecondFactor,
  type SecondFactorKind,
  SecondFactorKindSchema,
  SecondFactorSchema,
} from '../../../proto/gen/cloudphone/access/v1/second_factor_pb.js';
import type { PersonDocument } from '../../store/people.js';
import type { FactorDocument } from '../../store/second-factors.js';

/** Converts a second factor to its message. Nothing of it is secret. */
export function factorMessage({ id, kind, name, createdAt, lastUsedAt }: FactorDocument): SecondFactor {
  return create(SecondFactorSchema, {
    id,
    kind: enumOf(SecondFactorKindSchema, kind),
    name,
    createdAt: timestampFromDate(createdAt),
    ...(lastUsedAt !== undefined && { lastUsedAt: timestampFromDate(lastUsedAt) }),
  });
}

/** Returns the kinds of second factors that a person has, each once. */
export function kindsOf({ secondFactors }: PersonDocument): SecondFactorKind[] {
  const words = new Set((secondFactors?.list ?? []).map(({ kind }) => kind));
  return [...words].map((word) => enumOf(SecondFactorKindSchema, word));
}
