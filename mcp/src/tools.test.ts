import { Ajv2020 } from 'ajv/dist/2020.js';
import { getEncoding } from 'js-tiktoken';
import { expect } from 'chai';
import { ApiDocument, type Schema } from './document.js';
import { OFFERS } from './offered.js';
import { requestOf } from './request.js';
import { DEVICE, type Tool, toolsOf } from './tools.js';
import { WORDS } from './words.js';

describe('the tools', () => {
  const document = new ApiDocument();
  const tools = (device?: string): Tool[] => toolsOf(OFFERS, document, device).tools;
  const tool = (name: string, device?: string): Tool => tools(device).find(({ shown }) => shown.name === name)!;
  /** The schemas at the end of a path of properties, behind references. */
  const at = (one: Tool, ...path: string[]): Schema => {
    const root = one.shown.inputSchema as Schema & { $defs?: Record<string, Schema> };
    return path.reduce<Schema>((schema, name) => {
      const next = schema.properties?.[name] ?? schema.items?.properties?.[name];
      const ref = next?.$ref?.replace('#/$defs/', '');
      return ref === undefined ? next! : root.$defs![ref]!;
    }, root);
  };

  for (const device of [undefined, 'demo']) {
    it(`take a model at most 4,000 tokens to read, ${device === undefined ? 'without' : 'with'} a default device`, () => {
      const text = JSON.stringify(tools(device).map(({ shown }) => shown));
      expect(getEncoding('o200k_base').encode(text).length).to.be.below(4_000);
    });
  }

  it('refer only to definitions of their own', () => {
    for (const { shown } of tools()) {
      const { $defs = {} } = shown.inputSchema as { $defs?: Record<string, unknown> };
      const text = JSON.stringify(shown.inputSchema);
      const named = [...text.matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)].map(([, name]) => name!);
      expect(Object.keys($defs), shown.name).to.have.members([...new Set(named)]);
      for (const name of named) expect(text.split(`/${name}"`).length, `${shown.name} ${name}`).to.be.above(2);
    }
  });

  it('show the directions of a scroll and of a swipe, and one target for all steps', () => {
    const act = tool('act');
    const directions = ['up', 'down', 'left', 'right'];
    expect(at(act, 'steps', 'scroll', 'direction').enum).to.deep.equal(directions);
    expect(at(act, 'steps', 'swipe', 'direction').enum).to.deep.equal(directions);
    const targets = [['tap'], ['type', 'target'], ['scroll', 'target'], ['drag', 'from']].map((path) =>
      at(act, 'steps', ...path),
    );
    expect(new Set(targets).size).to.equal(1);
    expect(Object.keys(targets[0]!.properties!)).to.have.members(['element', 'x', 'y', 'text', 'role']);
  });

  it('speak of what they have, and to a model', () => {
    for (const { shown } of tools()) {
      const text = JSON.stringify(shown);
      expect(text, shown.name).not.to.match(/ETag|Accept|\/v1\/|2147483647|see UpdateDevice|`element`/);
    }
  });

  it('have words of their own only for what the API has', () => {
    for (const place of Object.keys(WORDS)) {
      const [owner = '', field] = place.split('.');
      const isOperation = /^[a-z]/.test(owner);
      const known = isOperation
        ? document.operation(owner).parameters.map(({ name }) => name)
        : Object.keys(document.resolve({ $ref: `#/components/schemas/${owner}` }).properties ?? {});
      if (field !== undefined) expect(known, place).to.include(field);
    }
  });

  it('have an example that they take, and that a validator takes too', () => {
    for (const one of tools()) {
      const { example, shown } = one;
      const args = JSON.parse(example) as Record<string, unknown>;
      expect(() => requestOf(one, args, { defaultDevice: undefined, newKey: () => 'k' }), shown.name).not.to.throw();
      const validates = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(shown.inputSchema);
      expect(validates(args), `${shown.name}: ${JSON.stringify(validates.errors)}`).to.equal(true);
      expect(validates({ ...args, steps: [{ tap: { role: 'knob' } }] }), shown.name).to.equal(shown.name !== 'act');
    }
  });

  it('that take away for good have no default device', () => {
    for (const name of ['delete_device', 'restore_snapshot']) {
      const one = tool(name, 'demo');
      expect(one.shown.inputSchema.required, name).to.include(DEVICE);
      expect(at(one, DEVICE)).not.to.have.property('default');
      expect(() =>
        requestOf(one, name === 'delete_device' ? {} : { id: 'snap_1' }, { defaultDevice: 'demo', newKey: () => 'k' }),
      ).to.throw(/"device" is missing/);
    }
    expect(tool('stop_device', 'demo').shown.inputSchema.required).to.equal(undefined);
  });

  describe('take what models write in short', () => {
    const steps = (given: Record<string, unknown>): unknown =>
      (requestOf(tool('act'), given, { defaultDevice: 'demo', newKey: () => 'k' }).body as { steps: unknown }).steps;

    for (const [short, long] of [
      [{ tap: 'Save' }, { tap: { text: 'Save' } }],
      [{ tap: 'e7' }, { tap: { element: 'e7' } }],
      [{ tap: 7 }, { tap: { element: 'e7' } }],
      [{ tap: { element: 7 } }, { tap: { element: '7' } }],
      [{ tap: [360, 640] }, { tap: { x: 360, y: 640 } }],
      [{ key: 'back' }, { key: { name: 'back' } }],
      [{ key: ['ctrl_left', 'a'] }, { key: { names: ['ctrl_left', 'a'] } }],
      [{ key: 7 }, { key: { name: '7' } }],
      [{ type: 'Milk' }, { type: { text: 'Milk' } }],
      [{ type: { text: 5, target: 'Title' } }, { type: { text: '5', target: { text: 'Title' } } }],
      [{ open_app: 'Notes' }, { open_app: { app: 'Notes' } }],
      [{ open_url: 'geo:0,0' }, { open_url: { url: 'geo:0,0' } }],
      [{ scroll: 'down' }, { scroll: { direction: 'down' } }],
      [{ scroll: { direction: 'down', until: 'About' } }, { scroll: { direction: 'down', until: { text: 'About' } } }],
      [{ swipe: 'left' }, { swipe: { direction: 'left' } }],
      [{ drag: { from: 'A', to: [1, 2] } }, { drag: { from: { text: 'A' }, to: { x: 1, y: 2 } } }],
      [{ rotate: 'landscape' }, { rotate: { to: 'landscape' } }],
      [{ notifications: true }, { notifications: {} }],
      [
        { wait: {}, expect: 'Done' },
        { wait: {}, expect: { text: 'Done' } },
      ],
      [{ tap: 'Save', expect: null, long_press: null }, { tap: { text: 'Save' } }],
    ] as const) {
      it(`as ${JSON.stringify(short)}`, () => {
        expect(steps({ steps: [short] }), 'in a list').to.deep.equal([long]);
        expect(steps({ steps: short }), 'in place of the list').to.deep.equal([long]);
        expect(steps({ steps: JSON.stringify([short]) }), 'as JSON').to.deep.equal([long]);
        expect(steps(short), 'without the list').to.deep.equal([long]);
      });
    }

    it('but leave to the API what has no meaning', () => {
      for (const step of [{ clipboard: 'read' }, { wait: 5 }, { tap: [1, 2, 3] }, { tap: true }, 'back', [1]])
        expect(steps({ steps: [step] })).to.deep.equal([step]);
      expect(steps({ steps: '[{' })).to.equal('[{');
    });

    it('but not a step both in the list and beside it', () => {
      expect(() => steps({ steps: [], tap: 'Save' })).to.throw(/put "tap" into one of the steps/);
      expect(() => steps({ steps: [{ key: 'back' }], tap: 'Save' })).to.throw(/put "tap" into one of the steps/);
    });

    it('with what belongs to the only step of a list beside the list', () => {
      for (const list of [[{ tap: 'Save' }], { tap: 'Save' }, '[{"tap":"Save"}]'])
        expect(steps({ steps: list, expect: 'Saved', wait_s: 3 })).to.deep.equal([
          { tap: { text: 'Save' }, expect: { text: 'Saved' }, wait_s: 3 },
        ]);
    });

    it('but not where it is unclear to which step that belongs', () => {
      for (const list of [[{ tap: 'Save' }, { key: 'back' }], [{ tap: 'Save', expect: 'Stored' }], [], ['back']])
        expect(() => steps({ steps: list, expect: 'Saved' }), JSON.stringify(list)).to.throw(/put "expect" into one/);
    });

    it('and name the steps that they take, where they know no argument', () => {
      expect(() => steps({ type: 'hello', target: 'Name' })).to.throw(
        /no argument "target".* It takes device, steps, .*In place of steps it takes one step: .*tap.* type.* expect/,
      );
    });

    it('with null for what is left out, which changes no default', () => {
      const request = (given: Record<string, unknown>) =>
        requestOf(tool('act', 'demo'), given, { defaultDevice: 'demo', newKey: () => 'k' });
      const { defaults } = tool('act', 'demo');
      const nulls = Object.fromEntries(Object.keys(defaults).map((name) => [name, null]));
      expect(nulls).to.not.be.empty;
      expect(request({ tap: 'Save', device: null, ...nulls })).to.deep.equal(request({ tap: 'Save' }));
    });
  });
});
