import { wordOf } from '../../../kit/text/wire-words.js';
import { OnError, OnErrorSchema } from '../../../proto/gen/cloudphone/device/v1/group_pb.js';
import type { OnErrorWord } from '../../store/groups.js';

/** Returns the word of an `on_error`; absent: stop. */
export function onErrorWord(value: OnError = OnError.STOP): OnErrorWord {
  return wordOf(OnErrorSchema, value) as OnErrorWord;
}
