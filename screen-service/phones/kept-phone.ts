import type { Call } from '../../kit/call.js';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { KeptLink } from '../../phone/link/kept-link.js';
import type { ConnectSocket } from '../../phone/link/phone-link.js';
import { Captures } from '../capture/captures.js';
import { encodePixels, type ImageSpec, recodeJpeg } from '../capture/encode.js';
import { Images } from '../capture/images.js';
import { LiveScreen } from '../live/live-screen.js';
import { LiveVideo } from '../live/video/live-video.js';
import { type MinicapFrame, MinicapSource } from '../capture/minicap/minicap-source.js';
import { ControlTouches } from '../input/touch/control-touches.js';
import { Fingers } from '../input/touch/fingers.js';
import type { Pixels } from '../../phone/screen/pixels.js';
import type { ScreenLimits } from '../limits.js';
import type { ScreenMetrics } from '../metrics.js';
import { ResidentServer } from '../tree/resident/resident-server.js';
import { ResidentTrees } from '../tree/resident/resident-trees.js';
import type { TreeSource } from '../tree/tree-source.js';
import { UiautomatorTrees } from '../tree/uiautomator-trees.js';
import type { LocatedPhone, ReachedPhone } from './reached-phone.js';
import type { ReportPhone } from './report-phone.js';
import { createTypedSecrets, type TypedSecrets } from './typed-secrets.js';

export interface KeptPhoneParts {
  clock: Clock;
  log: Log;
  metrics: ScreenMetrics;
  connectSocket: ConnectSocket;
  limits: ScreenLimits;
  report: ReportPhone;
  /** scrcpy's server. Undefined: phones have no video. */
  scrcpyFile: Uint8Array | undefined;
}

/** The connection to a running phone and its state between requests. Permissions are not kept: they are checked on every request. */
export class KeptPhone implements ReachedPhone {
  readonly phone: LocatedPhone;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ScreenMetrics;
  readonly limits: ScreenLimits;
  readonly link: KeptLink;
  readonly captures: Captures;
  readonly resident: ResidentServer;
  readonly trees: TreeSource;
  readonly images: Images<Pixels>;
  readonly minicap: MinicapSource;
  readonly minicapImages: Images<MinicapFrame>;
  readonly live: LiveScreen;
  readonly video: LiveVideo;
  readonly secrets: TypedSecrets;
  readonly fingers: Fingers;
  inputSentMs = -Infinity;
  /** When text was last typed or a key pressed by this service, wall clock, ms since the epoch. */
  typedMs = -Infinity;

  constructor(phone: LocatedPhone, parts: KeptPhoneParts, secrets: TypedSecrets = createTypedSecrets(parts.clock)) {
    const { clock, log, metrics, connectSocket, limits, report, scrcpyFile } = parts;
    const { phoneId, host, port, identity } = phone;
    this.phone = phone;
    this.clock = clock;
    this.metrics = metrics;
    this.limits = limits;
    this.secrets = secrets;
    this.log = log.child({ phone_id: phoneId });
    this.link = new KeptLink({
      host,
      port,
      clock,
      connectSocket,
      connectTimeoutMs: limits.connectTimeoutMs,
      identity,
      onOpenFailed: (error) => report(phoneId, error),
    });
    this.captures = new Captures(this);
    this.resident = new ResidentServer(this);
    this.trees = new ResidentTrees(this, this.resident, new UiautomatorTrees(this));
    const timed = <S>(encode: (source: S, spec: ImageSpec) => ReturnType<typeof encodePixels>) =>
      new Images<S & object>(clock, (source, spec) => metrics.encode(spec.format, () => encode(source, spec)));
    this.images = timed(encodePixels);
    this.minicapImages = timed(recodeJpeg);
    this.live = new LiveScreen(this, {
      captures: this.captures,
      toFrame: ({ pixels, beganMs }) => ({
        width: pixels.width,
        height: pixels.height,
        beganMs,
        encode: (spec) => this.images.of(pixels, spec),
      }),
      wantPushed: () => this.minicap.want(),
    });
    this.minicap = new MinicapSource(this, (frame) =>
      this.live.push({
        width: frame.width,
        height: frame.height,
        beganMs: clock.monotonicMs(),
        encode: (spec) => this.minicapImages.of(frame, spec),
      }),
    );
    this.video = new LiveVideo(this, scrcpyFile);
    const control = new ControlTouches(this);
    this.fingers = new Fingers(this, () => (this.video.control === undefined ? undefined : control));
  }

  command({ signal }: Pick<Call, 'signal'>, command: string, doing: string) {
    const { commandTimeoutMs: timeoutMs, commandMaxBytes: maxBytes } = this.limits;
    return this.link.shell(command, { timeoutMs, maxBytes, doing, signal });
  }

  /** Closes the connection after the running commands. Requests under way can still use the phone. */
  release(): void {
    this.minicap.stop();
    this.captures.close();
    this.fingers.close();
    this.video.close();
    void this.resident.close();
    this.link.release();
  }

  /** Closes the connection; running commands fail. */
  close(): void {
    this.minicap.stop();
    this.captures.close();
    this.fingers.close();
    this.video.close();
    void this.resident.close();
    this.link.close();
  }
}
