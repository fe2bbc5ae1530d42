import sharp from 'sharp';
import { Notifications } from '../../simulated-phone/screen/notifications.js';
import type { DumpOutcome, Frame, LaunchOutcome, Screen, TouchPhase } from '../../simulated-phone/system/system.js';

/** A display for tests that do not test the display. It has one flat colour that each event changes, one text field and no apps. */
export class StillScreen implements Screen {
  width = 360;
  height = 640;
  density = 320;
  rotation: 0 | 1 | 2 | 3 = 0;
  awake = true;
  clipboard = '';
  shadeOpen = false;
  readonly notifications = new Notifications(
    () => Date.now(),
    () => this.change(),
  );
  revision = 1;
  secure = false;
  foreground = { package: 'com.example.home', activity: '.HomeActivity' };
  readonly focusedWindow = '1a2b3c4';
  settlesAtMs: number | undefined = undefined;
  lastEventMs = -Infinity;
  outcome: DumpOutcome = { kind: 'xml', xml: DUMP };
  text: string | undefined = '';
  readonly touches: { phase: TouchPhase; x: number; y: number; pointer: number }[] = [];
  readonly keys: { code: number; phase: 'down' | 'up' }[] = [];
  readonly #listeners = new Set<() => void>();

  get keyboardShown(): boolean {
    return this.text !== undefined;
  }

  get focusedField(): Screen['focusedField'] & object {
    const view = 'android.widget.EditText{1a2b3c VFED..CL. .F...... 0,0-300,50}';
    return { package: this.foreground.package, text: this.text ?? '', password: false, view };
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  change(): void {
    this.revision++;
    for (const listener of this.#listeners) listener();
  }

  setSizeOverride(size: { width: number; height: number } | undefined): void {
    this.width = size?.width ?? 360;
    this.height = size?.height ?? 640;
    this.change();
  }

  setDensityOverride(density: number | undefined): void {
    this.density = density ?? 320;
    this.change();
  }

  capture(): Frame {
    const data = Buffer.alloc(this.width * this.height * 4, Buffer.from([this.revision & 0xff, 10, 13, 255]));
    return { width: this.width, height: this.height, data, revision: this.revision };
  }

  captureJpeg({ width, height, quality }: { width: number; height: number; quality: number }): Promise<Buffer> {
    const background = { r: this.revision & 0xff, g: 10, b: 13 };
    return sharp({ create: { width, height, channels: 3, background } })
      .jpeg({ quality })
      .toBuffer();
  }

  async dump(): Promise<DumpOutcome> {
    return this.outcome;
  }

  /** Returns a source in uiautomator's format, for tests that do not read its content. */
  source(): string | undefined {
    return this.outcome.kind === 'xml' ? this.outcome.xml : undefined;
  }

  /** Returns no elements, as no test that has this screen looks for any. */
  elements(): undefined {
    return undefined;
  }

  touch(event: { phase: TouchPhase; x: number; y: number; pointer: number }): void {
    this.touches.push(event);
    this.change();
  }

  key(event: { code: number; phase: 'down' | 'up' }): void {
    this.keys.push(event);
    this.change();
  }

  commitText(text: string): boolean {
    if (this.text === undefined) return false;
    this.text += text;
    this.change();
    return true;
  }

  clearText(): boolean {
    if (this.text === undefined) return false;
    this.text = '';
    this.change();
    return true;
  }

  launch(target: { component: string } | { package: string } | { action: string; data?: string }): LaunchOutcome {
    if ('action' in target) return { kind: 'unresolved' };
    const name = 'component' in target ? (target.component.split('/')[0] ?? '') : target.package;
    if (name !== 'com.example.notes' && name !== 'com.example.fixture') return { kind: 'no-such-activity' };
    const isFront = this.foreground.package === name;
    this.foreground = { package: name, activity: '.MainActivity' };
    this.change();
    const component = `${name}/.MainActivity`;
    return isFront ? { kind: 'brought-to-front', component } : { kind: 'started', component, waitMs: 120 };
  }

  query(): { components: string[]; resolved: undefined } {
    return { components: [], resolved: undefined };
  }

  readonly failureDialog = undefined;

  fail(): boolean {
    return false;
  }

  forceStop(packageName: string): void {
    if (this.foreground.package !== packageName) return;
    this.foreground = { package: 'com.example.home', activity: '.HomeActivity' };
    this.change();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const DUMP =
  `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0"><node index="0" text="Hello" ` +
  `resource-id="" class="android.widget.TextView" package="com.example.home" content-desc="" checkable="false" ` +
  `checked="false" clickable="false" enabled="true" focusable="false" focused="false" scrollable="false" ` +
  `long-clickable="false" password="false" selected="false" bounds="[0,0][360,100]" /></hierarchy>`;
