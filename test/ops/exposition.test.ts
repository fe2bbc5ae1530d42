import { expect } from 'chai';
import { Exposition } from './exposition.js';

const GOOD = `# HELP a_total An \\\\ and\\n a line
# TYPE a_total counter
a_total{x="1",y="a \\"b\\" \\\\ \\n,}"} 3
a_total{x="2",y=""} 1e+3

# HELP h How long
# TYPE h histogram
h_bucket{le="0.1"} 1
h_bucket{le="+Inf"} 2
h_sum 3.5
h_count 2
# HELP g Now
# TYPE g gauge
g NaN
`;

describe('the reader of scrapes that the tests use', () => {
  it('reads valid metrics', () => {
    const read = new Exposition(GOOD);
    expect(read.samples[0]).to.deep.equal({ name: 'a_total', labels: { x: '1', y: 'a "b" \\ \n,}' }, value: 3 });
    expect(read.sum('a_total')).to.equal(1_003);
    expect(read.sum('a_total', { x: '3' })).to.equal(undefined);
    expect([...read.types]).to.deep.equal([['a_total', 'counter'], ['h', 'histogram'], ['g', 'gauge']]); // prettier-ignore
  });

  const faults: Record<string, [find: string, put: string]> = {
    'a last line that does not end': ['g NaN\n', 'g NaN'],
    'a line twice': ['g NaN\n', 'g NaN\ng 1\n'],
    'the same labels in another order': ['1e+3\n', '1e+3\na_total{y="",x="2"} 1\n'],
    'a metric in two places': ['g NaN\n', 'g NaN\na_total{x="3",y=""} 1\n'],
    'two types': ['# TYPE g gauge\n', '# TYPE g gauge\n# TYPE g gauge\n'],
    'no type': ['# TYPE g gauge\n', ''],
    'no help': ['# HELP g Now\n', ''],
    'a type after its samples': ['# TYPE g gauge\ng NaN\n', 'g NaN\n# TYPE g gauge\n'],
    'a type that is none': ['gauge\n', 'guess\n'],
    'a value that is none': ['g NaN', 'g nothing'],
    'a value that is missing': ['g NaN', 'g '],
    'a quotation mark that is not escaped': ['\\"b\\"', '"b"'],
    'a label twice': ['{x="2",y=""}', '{x="2",x="3"}'],
    'a comma too many': ['{x="2",y=""}', '{x="2",y="",}'],
    'a name that is none': ['g NaN', '9g NaN'],
    'a negative counter': ['1e+3', '-1'],
    'buckets that shrink': ['le="0.1"} 1', 'le="0.1"} 5'],
    'buckets out of order': ['le="0.1"', 'le="Infinity"'],
    'no last bucket': ['h_bucket{le="+Inf"} 2\n', ''],
    'a count that is not the last bucket': ['h_count 2', 'h_count 3'],
    'no sum': ['h_sum 3.5\n', ''],
  };
  for (const [fault, [find, put]] of Object.entries(faults)) {
    it(`refuses ${fault}`, () => {
      expect(GOOD).to.contain(find);
      expect(() => new Exposition(GOOD)).not.to.throw();
      expect(() => new Exposition(GOOD.replace(find, () => put))).to.throw();
    });
  }
});
