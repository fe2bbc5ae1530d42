import { expect } from 'chai';
import type { Outcome } from '../run/run-task.js';
import { htmlOf } from './html.js';
import { junitOf } from './junit.js';
import { reportOf } from './summary.js';

const outcome = (more: Partial<Outcome>): Outcome => ({
  ...{ task: 'notes/write', family: 'notes', seed: 1, round: 0, goal: 'Write <b> & "c"', resetMs: 200, success: true },
  ...{ steps: 2, tokens: 30, wrongPresses: 1, seconds: 1.5 },
  timeline: [
    {
      step: 1,
      action: { tap: { text: '</pre>' } },
      atMs: 900,
      tookMs: 900,
      isWrongPress: true,
      changed: 'e1 "\u0001"',
    },
  ],
  ...more,
});

describe('the report of the gym', () => {
  const missed = outcome({ task: 'clock/laps', family: 'clock', success: false, reason: 'it <runs>', resetMs: 400 });
  const report = reportOf({ policy: 'scripted', seed: 1 }, [outcome({}), outcome({ seed: 2, resetMs: 300 }), missed]);

  it('has the sums of all and of each family, and the median of the resets', () => {
    expect(report.total).to.deep.equal({
      episodes: 3,
      succeeded: 2,
      steps: 6,
      tokens: 90,
      wrongPresses: 3,
      seconds: 4.5,
    });
    expect(report.families['clock']).to.include({ episodes: 1, succeeded: 0 });
    expect(report.resetMs).to.deep.equal({ median: 300, most: 400 });
  });

  it('is JUnit with a case for each episode', () => {
    const xml = junitOf(report);
    expect(xml).to.include('<testsuites name="gym" tests="3" failures="1">');
    expect(xml.match(/<testcase /g)).to.have.length(3);
    expect(xml).to.include('<failure message="it &lt;runs&gt;">Write &lt;b&gt; &amp; &quot;c&quot;</failure>');
  });

  it('is a page on which no text of a phone is markup', () => {
    const page = htmlOf(report);
    expect(page)
      .to.include('2 of 3 episodes reached their goal')
      .and.to.include('&lt;/pre&gt;')
      .and.to.include('e1 &quot;?&quot;');
    expect(page.match(/<details/g)).to.have.length(3);
    expect(page).to.not.match(/<script|https?:/);
  });

  it('escapes each text that an agent, a phone or a task has chosen, in the page and in JUnit', () => {
    const [hostile, harmless] = ['<img src=x onerror="a">\'&', '&lt;img src=x onerror=&quot;a&quot;&gt;&#39;&amp;'];
    const entry = { step: 1, action: { tap: { text: '<img>' } }, atMs: 1, tookMs: 1, isWrongPress: false };
    const texts = { task: hostile, family: hostile, goal: hostile, reason: hostile, success: false };
    const timeline = [{ ...entry, changed: hostile, error: hostile }];
    const bad = reportOf({ policy: hostile, seed: 1 }, [outcome({ ...texts, timeline })]);
    const page = htmlOf(bad);
    expect(page).to.not.include('<img');
    expect(page.split(harmless)).to.have.length(8);
    const xml = junitOf(bad);
    expect(xml).to.not.include('<img');
    expect(xml.split(harmless)).to.have.length(6);
  });

  it('is whole without any episode', () => {
    const empty = reportOf({ policy: 'idle', seed: 0 }, []);
    expect(empty.resetMs).to.deep.equal({ median: 0, most: 0 });
    expect(junitOf(empty)).to.include('tests="0"');
    expect(htmlOf(empty)).to.include('0 of 0');
  });
});
