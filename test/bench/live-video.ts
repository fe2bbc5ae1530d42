import { WebSocket } from 'ws';
import { systemClock } from '../../kit/async/clock.js';
import { hasFfmpeg } from '../../testing/has-ffmpeg.js';
import type { LiveBench } from './live-bench.js';
import { addedToGlass } from './live-glass.js';
import { startVideoPeer } from './live-video-peer.js';
import { inTurn } from './report.js';

/** Simulated phones want a file to be there, whatever is in it. */
export const SCRCPY_FILE = Buffer.from('a server');

const MEASURE_MS = 4_000;

/** An encoder goes on for 3 s after its viewer: the other side is measured when it has ended, ms. */
const ENDED_MS = 3_500;

/** Rows P26 and P27: the bytes of a video, and its way to a page. */
export async function benchVideo(bench: LiveBench): Promise<void> {
  if (!hasFfmpeg) {
    process.stdout.write('P26 and P27 need ffmpeg.\n');
    return;
  }
  await benchBytes(bench, 'a counter');
  await bench.phone.shell('am start -n com.cloudphone.settings/.Main');
  const scrolling = scroll(bench);
  await benchBytes(bench, 'a list that is scrolled');
  await scrolling.end();
  await bench.phone.shell('am start -n com.cloudphone.lab/.Counter --ei fps 20');
  await systemClock.sleep(1_500);
  await benchVideoGlass(bench);
}

async function benchBytes({ ours, report }: LiveBench, what: string): Promise<void> {
  const rate = async (query: string): Promise<number> => {
    const ws = new WebSocket(`${ours}?fps=20&${query}`, { headers: { authorization: 'Bearer key_1' }, perMessageDeflate: false }); // prettier-ignore
    let bytes = 0;
    await new Promise<void>((resolve, reject) => {
      ws.on('error', reject);
      ws.on('message', (data: Buffer) => {
        bytes += data.length;
        resolve();
      });
    });
    await systemClock.sleep(500);
    bytes = 0;
    const beganMs = performance.now();
    await systemClock.sleep(MEASURE_MS);
    const rate = (bytes * 1_000) / (performance.now() - beganMs);
    ws.terminate();
    return rate;
  };
  const figures = await inTurn(
    () => rate('format=h264'),
    () => rate('format=jpeg&quality=80'),
  );
  report({
    what: `P26 kB a second of a live screen of 720 x 1280 at 20 frames a second, as video (${what})`,
    ours: `${(figures.ours / 1_000).toFixed(0)} kB/s`,
    theirs: `${(figures.theirs / 1_000).toFixed(0)} kB/s JPEG quality 80`,
    ratio: figures.ratio,
    goal: '<= 0.15',
    holds: figures.ratio.median <= 0.15,
  });
}

/** Moves the list in front up and down until `end`. */
function scroll({ phone }: LiveBench): { end(): Promise<void> } {
  let isOver = false;
  const run = async (): Promise<void> => {
    while (!isOver) {
      await phone.shell('input swipe 360 1000 360 300 700');
      await phone.shell('input swipe 360 300 360 1000 700');
    }
  };
  const running = run();
  return {
    end: async () => {
      isOver = true;
      await running;
    },
  };
}

async function benchVideoGlass(bench: LiveBench): Promise<void> {
  const peer = await startVideoPeer(bench.phone.port, SCRCPY_FILE);
  try {
    const before = (): Promise<void> => systemClock.sleep(ENDED_MS);
    const sides = { ours: `${bench.ours}?format=h264`, theirs: peer.url, script: WATCH_VIDEO, before };
    const added = await addedToGlass(bench, sides);
    bench.report({
      what: "P27 from the phone's drawing to the pixels of a page in Chromium, as video: added p50 and p95",
      ours: `${added.ours.toFixed(1)} ms p50, +${added.p50.toFixed(1)} ms; p95 +${added.p95.toFixed(1)} ms`,
      theirs: `${added.theirs.toFixed(1)} ms p50, the same units by bare ws`,
      goal: 'p50 +25 ms, p95 +50 ms at the most',
      holds: added.p50 <= 25 && added.p95 <= 50,
    });
  } finally {
    await peer.close();
  }
}

/** Runs in the page. Text, as this program is compiled without a browser's types. */
const WATCH_VIDEO = `async ({ url, squares, originMs, watchMs }) => {
  const canvas = document.createElement('canvas');
  document.body.replaceChildren(canvas);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const late = [];
  let failure;
  let isFirst = true;
  const decoder = new VideoDecoder({
    output: (picture) => {
      canvas.width = picture.displayWidth;
      canvas.height = picture.displayHeight;
      context.drawImage(picture, 0, 0);
      picture.close();
      const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
      const drawn = squares.reduce((value, { x, y }) => value * 2 + (pixels[(y * canvas.width + x) * 4] > 127 ? 1 : 0), 0);
      // The first picture is one that was there before.
      if (!isFirst) late.push(performance.timeOrigin + performance.now() - originMs - drawn);
      isFirst = false;
    },
    error: (error) => (failure = error),
  });
  const ws = new WebSocket(url);
  ws.binaryType = 'arraybuffer';
  ws.onmessage = ({ data }) => {
    if (typeof data === 'string') {
      const { codec } = JSON.parse(data);
      if (codec !== undefined) decoder.configure({ codec, optimizeForLatency: true });
      return;
    }
    const view = new DataView(data);
    const type = (view.getUint8(8) & 1) === 1 ? 'key' : 'delta';
    decoder.decode(new EncodedVideoChunk({ type, timestamp: view.getUint32(0) * 1000, data: data.slice(9) }));
  };
  await new Promise((resolve, reject) => {
    ws.onopen = resolve;
    ws.onerror = () => reject(new Error('the WebSocket did not open'));
  });
  await new Promise((resolve) => setTimeout(resolve, watchMs));
  ws.close();
  if (failure !== undefined) throw failure;
  return late;
}`;
