import { connect, type Socket } from 'node:net';
import { Adb } from '@yume-chan/adb';
import { AdbScrcpyClient, AdbScrcpyOptions3_3_3 } from '@yume-chan/adb-scrcpy';
import { AndroidMotionEventAction, h264ParseConfiguration, ScrcpyPointerId } from '@yume-chan/scrcpy';
import { ReadableStream } from '@yume-chan/stream-extra';
import { expect } from 'chai';
import { authenticate } from '../../../../phone/link/authenticate.js';
import { bootPhone, type RealPhone } from '../../../../screen-service/testing/real-phone.js';
import { hasFfmpeg } from '../../../../testing/has-ffmpeg.js';
import { descendants } from '../../../../testing/process-tree.js';
import { until } from '../../../../testing/until.js';
import { NEEDS_FFMPEG, skip } from '../../../../testing/skip.js';

const PATH = '/data/local/tmp/scrcpy-server.jar';

describe("scrcpy's server on a simulated phone, to a foreign client", () => {
  let phone: RealPhone;
  let adb: Adb;
  let socket: Socket;
  let clients: AdbScrcpyClient<AdbScrcpyOptions3_3_3<boolean>>[];

  async function boot(ffmpeg?: string): Promise<void> {
    phone = await bootPhone({ ...(ffmpeg !== undefined && { ffmpeg }) });
    socket = connect({ host: '127.0.0.1', port: phone.port });
    adb = new Adb(await authenticate(socket));
    const file = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new Uint8Array([80, 75, 3, 4]));
        controller.close();
      },
    });
    await AdbScrcpyClient.pushServer(adb, file, PATH);
    clients = [];
  }

  async function start(options: { maxSize?: number; video?: boolean } = {}) {
    const chosen = new AdbScrcpyOptions3_3_3({ audio: false, tunnelForward: true, ...options });
    const client = await AdbScrcpyClient.start(adb, PATH, chosen);
    clients.push(client);
    return client;
  }

  async function videoOf(client: Awaited<ReturnType<typeof start>>) {
    const video = await client.videoStream;
    if (video === undefined) throw new Error('the client has no video');
    return { video, packets: video.stream.getReader() };
  }

  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    socket.destroy();
    await phone.close();
  });

  describe('with an encoder', () => {
    before(function () {
      if (!hasFfmpeg) skip(this, NEEDS_FFMPEG);
    });

    beforeEach(() => boot());

    it('shows the screen: a configuration, a key frame, and a frame for each change', async () => {
      const { video, packets } = await videoOf(await start());
      expect(video.metadata).to.include({ codec: 0x68323634, width: 720, height: 1280 });
      const { value: configuration } = await packets.read();
      if (configuration?.type !== 'configuration') throw new Error('the first packet is no configuration');
      expect(h264ParseConfiguration(configuration.data)).to.include({ croppedWidth: 720, croppedHeight: 1280 });
      expect((await packets.read()).value).to.include({ type: 'data', keyframe: true });
      await phone.shell('input keyevent 82; am start -n com.cloudphone.lab/.Counter');
      expect((await packets.read()).value).to.include({ type: 'data', keyframe: false });
    });

    it('makes it smaller, and goes on in another size where the screen was turned', async () => {
      const { video, packets } = await videoOf(await start({ maxSize: 640 }));
      expect(video.metadata).to.include({ width: 360, height: 640 });
      await packets.read();
      await phone.shell('settings put system accelerometer_rotation 0; settings put system user_rotation 1');
      for (;;) {
        const { value } = await packets.read();
        if (value?.type !== 'configuration') continue;
        expect(h264ParseConfiguration(value.data)).to.include({ croppedWidth: 640, croppedHeight: 360 });
        return;
      }
    });

    it('begins with a key frame again on request, also while nothing changes', async () => {
      const client = await start();
      const { packets } = await videoOf(client);
      await packets.read();
      await packets.read();
      await client.controller?.resetVideo();
      expect((await packets.read()).value).to.include({ type: 'configuration' });
      expect((await packets.read()).value).to.include({ type: 'data', keyframe: true });
    });

    it('ends with its client, and its encoders with it', async () => {
      const { packets } = await videoOf(await start());
      await packets.read();
      expect(await phone.shell('ps -A')).to.include('app_process');
      clients = [];
      socket.destroy();
      await until(async () => !(await phone.shell('ps -A')).includes('app_process'));
    });

    it('leaves no encoder behind when the phone is shut down', async () => {
      const others = new Set(descendants(process.pid));
      const encoders = (): number => descendants(process.pid).filter((pid) => !others.has(pid)).length;
      const { packets } = await videoOf(await start());
      await packets.read();
      // One encoder works and one is in reserve.
      await until(() => encoders() === 2);
      await phone.phone.shutdown();
      await until(() => encoders() === 0);
    });

    it('takes touches of several fingers', async () => {
      const client = await start();
      const { packets } = await videoOf(client);
      await packets.read();
      await phone.shell('am start -n com.cloudphone.lab/.Form');
      await until(() => phone.phone.machine.screen.foreground.activity === '.Form');
      const touches: string[] = [];
      const { screen } = phone.phone.machine;
      const touch = screen.touch.bind(screen);
      screen.touch = (event) => {
        touches.push(`${event.phase} ${event.pointer} ${event.x},${event.y}`);
        touch(event);
      };
      const at = { videoWidth: 720, videoHeight: 1280, pressure: 1, actionButton: 0, buttons: 0 };
      const send = (action: AndroidMotionEventAction, pointerId: bigint, pointerX: number) =>
        client.controller?.injectTouch({ action, pointerId, pointerX, pointerY: 700, ...at });
      await send(AndroidMotionEventAction.Down, ScrcpyPointerId.Finger, 100);
      await send(AndroidMotionEventAction.Down, 7n, 300);
      await send(AndroidMotionEventAction.Up, 7n, 300);
      await send(AndroidMotionEventAction.Up, ScrcpyPointerId.Finger, 100);
      await until(() => touches.length === 4);
      expect(touches).to.deep.equal(['down 0 100,700', 'down 1 300,700', 'up 1 300,700', 'up 0 100,700']);
    });

    it('refuses clients of another version', async () => {
      const output = await phone.shell(`CLASSPATH=${PATH} app_process / com.genymobile.scrcpy.Server 2.7 2>&1`);
      expect(output).to.equal('[server] ERROR: The server version (3.3.3) does not match the client (2.7)\n');
    });
  });

  it('ends with an error where there is no encoder', async () => {
    await boot('/nonexistent/ffmpeg');
    const started = start().then(async (client) => {
      const { packets } = await videoOf(client);
      const { done } = await packets.read();
      return done;
    });
    const end = await started.catch((error: unknown) => error);
    if (end !== true) expect(end).to.be.instanceOf(Error);
    await until(async () => !(await phone.shell('ps -A')).includes('app_process'));
  });
});
