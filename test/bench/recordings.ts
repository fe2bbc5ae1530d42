import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Client, createClient } from '@connectrpc/connect';
import { RecordingFiles } from '../../device-service/recordings/files/recording-files.js';
import { RecordingWriter } from '../../device-service/recordings/files/recording-writer.js';
import { systemClock } from '../../kit/async/clock.js';
import { freeSpaceOf, HostSpace } from '../../kit/files/host-space.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { ImageFormat } from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { RecorderService } from '../../proto/gen/cloudphone/screen/v1/recorder_service_pb.js';
import { ScreenService } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { hasFfmpeg } from '../../testing/has-ffmpeg.js';
import { identityAt } from './identity-at.js';
import { distance, pictureOf } from './recorded-pictures.js';
import { type RecorderProcess, startRecorderProcess } from './recorder-process.js';
import { inTurn, type Report } from './report.js';
import { type BenchPhone, startBenchPhone } from './screen-phone.js';

const run = promisify(execFile);

const SOURCE_FPS = 20;
const MEASURE_MS = 10_000;
/** Length of the recording with pauses, ms. */
const LENGTH_MS = 60_000;
/** Time of a picture at the highest rate, ms. */
const FRAME_MS = 1_000 / 30;

const HEADERS = { authorization: 'Bearer key_1' };

const MOVE = `am start -n com.cloudphone.lab/.Counter --ei fps ${SOURCE_FPS}`;
const REST = 'am start -n com.cloudphone.settings/.Main';

/** Another screen at rest, so that the first picture is not taken for the last. */
const LAST = 'input keyevent 3';
/** Time for a screen to come to rest, ms. */
const SETTLE_MS = 2_000;
/** Most that a picture may be apart from its screenshot, of 255: the loss of the codec. */
const MAX_DISTANCE = 4;

interface Sides {
  phone: BenchPhone;
  screen: RecorderProcess;
  viewers: Client<typeof ScreenService>;
  record: () => Promise<Recorded>;
}

/** A recording that goes on. `stop` ends it. */
interface Recorded {
  beganMs: number;
  stop(): Promise<{ path: string; durationMs: number; stoppedMs: number }>;
}

/** Rows P34 and P35: phone and screen service in processes of their own, the device service's part here. */
export async function benchRecordings(report: Report): Promise<void> {
  if (!hasFfmpeg) {
    process.stdout.write('P34 and P35 need ffmpeg.\n');
    return;
  }
  const phone = await startBenchPhone();
  const screen = await startRecorderProcess(phone.port);
  const way = connectTo({
    url: `http://127.0.0.1:${screen.port}`,
    service: 'the screen service',
    meshToken: undefined,
  });
  const recorder = createClient(RecorderService, way);
  const identity = await identityAt(phone.port);
  const place = { name: 'bench', phoneId: 'ph_bench', generation: 1, identity, host: '127.0.0.1', port: phone.port };
  const request = { phone: { ...place, width: 720, height: 1280, density: 320 }, fps: 30 };
  const sides = { phone, screen, viewers: createClient(ScreenService, way), record: () => begin(recorder, request) };
  try {
    await phone.shell(MOVE);
    await benchCpu(sides, report);
    await benchLength(sides, report);
  } finally {
    screen.stop();
    phone.stop();
  }
}

async function begin(
  recorder: Client<typeof RecorderService>,
  request: { phone: object; fps: number },
): Promise<Recorded> {
  const files = new RecordingFiles(await mkdtemp(join(tmpdir(), 'bench-recording-')));
  await files.make('rec');
  const space = new HostSpace({ measure: () => freeSpaceOf(tmpdir()), clock: systemClock });
  const writer = new RecordingWriter('rec', files, space);
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const requests = async function* () {
    yield request;
    await finished;
  };
  const responses = recorder.recordScreen(requests())[Symbol.asyncIterator]();
  const first = await responses.next();
  const beganMs = performance.now();
  let durationMs = 0;
  const writing = (async () => {
    for (let next = first; next.done !== true; next = await responses.next()) {
      await writer.write(next.value.pieces);
      ({ durationMs } = next.value);
    }
    await writer.close();
  })();
  writing.catch(() => undefined);
  return {
    beganMs,
    stop: async () => {
      const stoppedMs = performance.now();
      finish();
      await writing;
      return { path: files.path('rec', 0), durationMs, stoppedMs };
    },
  };
}

async function benchCpu({ screen, viewers, record }: Sides, report: Report): Promise<void> {
  const over = new AbortController();
  const watching = watch(viewers, over.signal);
  const cpu = async (): Promise<number> => {
    await systemClock.sleep(500);
    const before = await screen.cpuMs();
    await systemClock.sleep(MEASURE_MS);
    return (await screen.cpuMs()) - before;
  };
  const withRecording = async (): Promise<number> => {
    const recording = await record();
    const figure = await cpu();
    await recording.stop();
    return figure;
  };
  const figures = await inTurn(withRecording, cpu);
  over.abort();
  await watching;
  report({
    what: `P34 CPU time of the screen service in ${MEASURE_MS / 1_000} s of a screen that changes ${SOURCE_FPS} times a second`,
    ours: `${figures.ours.toFixed(0)} ms with a viewer of video and a recording`,
    theirs: `${figures.theirs.toFixed(0)} ms with the viewer alone`,
    ratio: figures.ratio,
    goal: '<= 1.10',
    holds: figures.ratio.median <= 1.1,
  });
}

async function screenshot(viewers: Client<typeof ScreenService>): Promise<Buffer> {
  const { image } = await viewers.getScreenshot({ name: 'bench' }, { headers: HEADERS });
  return Buffer.from(image?.data ?? []);
}

async function watch(viewers: Client<typeof ScreenService>, signal: AbortSignal): Promise<void> {
  const requests = async function* () {
    yield { name: 'bench', format: ImageFormat.H264 };
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  };
  try {
    const messages = viewers.watchScreen(requests(), { headers: HEADERS, signal })[Symbol.asyncIterator]();
    // Reading is all that a viewer does here.
    while ((await messages.next()).done !== true);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function benchLength({ phone, viewers, record }: Sides, report: Report): Promise<void> {
  await phone.shell(REST);
  await systemClock.sleep(SETTLE_MS);
  const first = await screenshot(viewers);
  const recording = await record();
  const pauses = LENGTH_MS / 5;
  for (const command of [MOVE, REST, MOVE, LAST]) {
    await systemClock.sleep(pauses);
    await phone.shell(command);
  }
  await systemClock.sleep(recording.beganMs + LENGTH_MS - performance.now());
  const last = await screenshot(viewers);
  const { path, durationMs, stoppedMs } = await recording.stop();
  const clockMs = stoppedMs - recording.beganMs;
  const words = '-v error -show_entries packet=pts_time:format=duration -of json';
  const { stdout } = await run('ffprobe', [...words.split(' '), path], { maxBuffer: 64 * 1024 * 1024 });
  const { format, packets } = JSON.parse(stdout) as { format: { duration: string }; packets: { pts_time: string }[] };
  const fileMs = 1_000 * Number(format.duration);
  const firstMs = 1_000 * Number(packets[0]?.pts_time);
  const apart = [
    await distance(await pictureOf(path, 'first'), first),
    await distance(await pictureOf(path, 'last'), last),
  ];
  report({
    what: `P35 length of a recording of ${LENGTH_MS / 1_000} s with pauses, by ffprobe, against the clock; time of its first picture`,
    ours: `${fileMs.toFixed(0)} ms, ${packets.length} pictures, the first at ${firstMs.toFixed(0)} ms`,
    theirs: `${clockMs.toFixed(0)} ms`,
    goal: `within a picture (${FRAME_MS.toFixed(0)} ms)`,
    holds: Math.abs(fileMs - clockMs) <= FRAME_MS && firstMs === 0 && Math.abs(fileMs - durationMs) <= 1,
  });
  const others = await distance(first, last);
  report({
    what: 'P35 first and last picture of it against screenshots, mean distance of 255',
    ours: apart.map((one) => one.toFixed(1)).join(' and '),
    theirs: `${others.toFixed(1)} from the first screen to the last`,
    goal: `<= ${MAX_DISTANCE}`,
    holds: apart.every((one) => one <= MAX_DISTANCE) && others > 2 * MAX_DISTANCE,
  });
}
