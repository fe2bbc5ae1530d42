import { expect } from 'chai';
import { ApiError } from '../../kit/errors/api-error.js';
import { type JsonValue, parseJson } from './parse.js';

describe('parseJson', () => {
  const good = [
    'null',
    'true',
    ' [1, -0, 2.5e3, 1E-2] ',
    '{"a":{"b":[{}, [], ""]}}',
    '"\\u00e9\\n\\"\\\\/\\ud83d\\ude00 é😀"',
    '\t\r\n{\n"x" : 1 }\n',
    '{"__proto__": 1, "constructor": {"a": 2}}',
  ];
  for (const text of good) {
    it(`reads ${JSON.stringify(text)} like JSON.parse`, () => {
      expect(plain(parseJson(text))).to.deep.equal(JSON.parse(text));
    });
  }

  const bad: [text: string, message: string][] = [
    ['', 'it ends too early, at line 1, column 1'],
    ['{', 'it ends too early, at line 1, column 2'],
    ['{"a"}', 'expected ":", at line 1, column 5'],
    ['{"a":1,}', 'expected a name in double quotes, at line 1, column 8'],
    ['{"a":1 "b":2}', 'expected "," or the closing bracket, at line 1, column 8'],
    ["{'a':1}", 'unexpected characters, at line 1, column 2'],
    ['[1,]', 'expected a value, at line 1, column 4'],
    ['[1 2]', 'expected "," or the closing bracket, at line 1, column 4'],
    ['{"a":\n  tru}', 'unexpected characters, at line 2, column 3'],
    ['01', 'nothing may follow the value, at line 1, column 2'],
    ['+1', 'unexpected characters'],
    ['.5', 'unexpected characters'],
    ['1.', 'the number is incomplete'],
    ['NaN', 'unexpected characters'],
    ['{} // x', 'comments are not allowed, at line 1, column 4'],
    ['{/*', 'comments are not allowed, at line 1, column 2'],
    ['{} {}', 'nothing may follow the value, at line 1, column 4'],
    ['"abc', 'the string has no end, at line 1, column 1'],
    ['"a\nb"', 'the string has no end, at line 1, column 1'],
    ['"a\tb"', 'a control character must be written as an escape, at line 1, column 1'],
    ['"\\x"', 'the string has an escape that is not valid, at line 1, column 1'],
    ['"\\ud800"', 'the string has an escape that is not valid'],
    ['{"\\ud800":1}', 'the string has an escape that is not valid, at line 1, column 2'],
    ['{"a":1,"a":2}', 'the name "a" is given twice, at line 1, column 8'],
    ['{"a":1,"\\u0061":2}', 'the name "a" is given twice'],
    ['['.repeat(40) + ']'.repeat(40), 'nested deeper than 33 levels, at line 1, column 34'],
    ['[{"a":'.repeat(200_000), 'nested deeper than 33 levels'],
  ];
  for (const [text, message] of bad) {
    it(`refuses ${JSON.stringify(text.slice(0, 30))} and names the place`, () => {
      expect(() => parseJson(text))
        .to.throw(ApiError, message)
        .with.property('kind', 'bad_request');
    });
  }

  it('agrees with JSON.parse about 5,000 damaged texts', () => {
    const seed = '{"a":[1,-2.5e3,true,null,"x\\n\\u00e9"],"b":{"c":"d"}}';
    const damages = ['', '"', '\\', ',', '}', ']', '0', '-', 'e', ' ', '\n', 'u', '.', ':'];
    let tried = 0;
    for (let at = 0; at < seed.length; at++) {
      for (const damage of damages) {
        for (const length of [0, 1, 2, 3, 5, 8, 13]) {
          const text = seed.slice(0, at) + damage + seed.slice(at + length);
          expect(
            outcome(() => plain(parseJson(text))),
            text,
          ).to.deep.equal(outcome(() => JSON.parse(text)));
          tried++;
        }
      }
    }
    expect(tried).to.be.greaterThan(5000);
  });
});

/** Returns the value of a text, or that it has none. No damaged text repeats a name, as the two parsers differ there. */
function outcome(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch {
    return 'refused';
  }
}

function plain(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  const object: Record<string, unknown> = {};
  for (const [name, item] of value) Object.defineProperty(object, name, { value: plain(item), enumerable: true });
  return object;
}
