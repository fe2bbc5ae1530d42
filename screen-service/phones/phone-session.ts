import type { Call } from '../../kit/call.js';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { KeptLink } from '../../phone/link/kept-link.js';
import type { ConnectSocket } from '../../phone/link/phone-link.js';
import { readForeground } from '../app/foreground.js';
import { Captures } from '../capture/captures.js';
import { encodePixels, type ImageSpec, recodeJpeg } from '../capture/encode.js';
import { Images } from '../capture/images.js';
import { LiveScreen } from '../live/live-screen.js';
import { type MinicapFrame, MinicapSource } from '../capture/minicap/minicap-source.js';
import { Fingers } from '../input/touch/fingers.js';
import type { Pixels } from '../../phone/screen/pixels.js';
import type { ScreenLimits } from '../limits.js';
import type { ScreenMetrics } from '../metrics.js';
import { Trees } from '../tree/trees.js';
import type { ReportPhone } from './report-phone.js';
import { createTypedSecrets, type TypedSecrets } from './typed-secrets.js';

/** A phone's address and facts, as the device service returns them for each request. */
export interface LocatedPhone {
  /** Device name, for error texts. */
  name: string;
  phoneId: string;
  generation: number;
  /** Identity of this start of the phone (phone/link/identity.ts), checked at every new connection. */
  identity: string;
  host: string;
  port: number;
  /** Upright size, pixels, and dots per inch. */
  screen: { width: number; height: number; density: number };
}

export interface SessionParts {
  clock: Clock;
  log: Log;
  metrics: ScreenMetrics;
  connectSocket: ConnectSocket;
  limits: ScreenLimits;
  report: ReportPhone;
}

/** The state of one running phone that is kept between requests. Permissions are not kept: they are checked on every request. */
export class PhoneSession {
  readonly phone: LocatedPhone;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: ScreenMetrics;
  readonly limits: ScreenLimits;
  readonly link: KeptLink;
  readonly captures: Captures;
  readonly trees: Trees;
  readonly images: Images<Pixels>;
  readonly minicap: MinicapSource;
  readonly minicapImages: Images<MinicapFrame>;
  readonly live: LiveScreen;
  readonly secrets: TypedSecrets;
  readonly fingers: Fingers;
  /** When input was last sent to the phone by this service, monotonic ms. */
  inputSentMs = -Infinity;

  constructor(phone: LocatedPhone, parts: SessionParts, secrets: TypedSecrets = createTypedSecrets(parts.clock)) {
    const { clock, log, metrics, connectSocket, limits, report } = parts;
    const { phoneId, host, port, identity, screen } = phone;
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
    const link = this.link;
    this.captures = new Captures({ link, clock, metrics, limits });
    this.trees = new Trees({ link, clock, metrics, limits, readForeground: (call) => readForeground(call, this) });
    const timed = <S>(encode: (source: S, spec: ImageSpec) => ReturnType<typeof encodePixels>) =>
      new Images<S & object>((source, spec) => metrics.encode(spec.format, () => encode(source, spec)));
    this.images = timed(encodePixels);
    this.minicapImages = timed(recodeJpeg);
    this.live = new LiveScreen({
      captures: this.captures,
      clock,
      toFrame: ({ pixels, beganMs }) => ({
        width: pixels.width,
        height: pixels.height,
        beganMs,
        encode: (spec) => this.images.of(pixels, spec),
      }),
      inputSentMs: () => this.inputSentMs,
      upright: screen,
      wantPushed: () => this.minicap.want(),
    });
    this.minicap = new MinicapSource({
      ...{ link, clock, log: this.log, limits, screen },
      onFrame: (frame) =>
        this.live.push({
          width: frame.width,
          height: frame.height,
          beganMs: clock.monotonicMs(),
          encode: (spec) => this.minicapImages.of(frame, spec),
        }),
    });
    this.fingers = new Fingers(this);
  }

  /** Runs a short command. Throws unavailable or timeout, or the reason why the call ended. `doing` completes "the phone did not …". */
  command({ signal }: Pick<Call, 'signal'>, command: string, doing: string) {
    const { commandTimeoutMs: timeoutMs, commandMaxBytes: maxBytes } = this.limits;
    return this.link.shell(command, { timeoutMs, maxBytes, doing, signal });
  }

  /** Closes the connection after the running commands. Requests that still hold the session can use it. */
  release(): void {
    this.minicap.stop();
    this.captures.close();
    this.fingers.close();
    this.link.release();
  }

  /** Closes the connection; running commands fail. */
  close(): void {
    this.minicap.stop();
    this.captures.close();
    this.fingers.close();
    this.link.close();
  }
}
