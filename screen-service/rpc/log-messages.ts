import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { createJsonEncoders } from '../../kit/json/encode.js';
import type { ServerSentEventSchema } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { LogLevel, LogLineSchema } from '../../proto/gen/cloudphone/screen/v1/logcat_pb.js';
import type {
  FollowLogsRequest,
  GetLogsRequest,
  StreamLogsRequest,
} from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { TakenLines } from '../logs/line-queue.js';
import { type LogFilter, type LogLetter, logLetters, type LogLine } from '../logs/log-line.js';

export function toFilter(request: GetLogsRequest | StreamLogsRequest | FollowLogsRequest): LogFilter {
  const { level, tag } = request;
  const since = 'since' in request ? request.since : undefined;
  return {
    level: logLetters.find((letter) => logLevels[letter] === level),
    tag,
    sinceMs: since === undefined ? undefined : timestampMs(since),
  };
}

const logLevels: Record<LogLetter, LogLevel> = {
  V: LogLevel.VERBOSE,
  D: LogLevel.DEBUG,
  I: LogLevel.INFO,
  W: LogLevel.WARN,
  E: LogLevel.ERROR,
  F: LogLevel.FATAL,
};

export function toLogLine({ timeMs, pid, tid, level, tag, message }: LogLine) {
  return create(LogLineSchema, {
    time: timestampFromMs(timeMs),
    pid,
    tid,
    level: logLevels[level],
    tag,
    message,
  });
}

/** Returns the events of lines that arrived together. No lines make a comment. */
export function toLogEvents({ lost, lines }: TakenLines): MessageInitShape<typeof ServerSentEventSchema>[] {
  if (lost === 0 && lines.length === 0) return [{}];
  const events = lines.map((line) => ({ type: 'log', data: Buffer.from(encodeLine(toLogLine(line))) }));
  return lost === 0 ? events : [{ type: 'lost', data: Buffer.from(JSON.stringify({ lines: lost })) }, ...events];
}

/** Writes a line as the JSON of a response has it. */
const encodeLine = createJsonEncoders()(LogLineSchema);
