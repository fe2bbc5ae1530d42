import { useQuery } from '@tanstack/react-query';
import type { Device } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { ForRight } from '../../parts/for-right.tsx';
import { labelTexts } from '../../parts/labels.tsx';
import { Moment, duration } from '../../parts/time.tsx';
import { countryName, EXIT_NAMES } from '../../parts/exit-fields.tsx';
import { plainWords } from '../../api/plain-words.ts';
import { modelsQuery } from '../../api/offers.ts';
import { useRight } from '../../api/use-right.ts';
import { priceText, usePrices } from '../../parts/prices.ts';
import { IdleStopCard } from './idle-stop-card.tsx';
import { LabelsCard } from './labels-card.tsx';
import classes from './phone.module.css';

/** The facts about a phone, and how to use it here. */
export function AboutTab({ device }: { device: Device }) {
  const { model, android, state, screen, exit, plan, uptime, minutes_today, created_at, driver, problem } = device;
  const { data: models } = useQuery(modelsQuery);
  const modelName = models?.find((one) => one.model === model)?.name ?? model;
  const prices = usePrices();
  const mayChange = useRight('phones');
  const texts = labelTexts(device.labels);
  const facts: Fact[] = [
    ['Problem', problem && plainWords(problem.message)],
    ['Model', `${modelName}, Android ${android}`],
    ['Screen', `${screen.width} × ${screen.height}, ${screen.density} dpi`],
    [
      'Network',
      `${EXIT_NAMES[exit.type] ?? exit.type}, ${countryName(exit.country)}${exit.address === undefined ? '' : `, ${exit.address}`}`,
    ],
    ['Time zone', exit.timezone],
    ['Price', priceText(prices, plan)],
    ['Uptime', state === 'running' ? duration(uptime) : undefined],
    ['Minutes today', String(minutes_today)],
    ['Created', <Moment key="created" at={created_at} />],
    ['Driver', driver],
    ['Labels', mayChange || texts.length === 0 ? undefined : texts.join(', ')],
  ];
  return (
    <>
      <Card title="About this phone">
        <Facts facts={facts} />
      </Card>
      <ForRight right="phones">
        <LabelsCard device={device} />
        <IdleStopCard device={device} />
        <HowToUse />
      </ForRight>
    </>
  );
}

function HowToUse() {
  return (
    <Card title="How to use it">
      <ul className={classes.hints}>
        <li>Click, drag and scroll on the screen; on a touch screen with several fingers at once.</li>
        <li>Click the screen and type, in any script, or paste. Esc and the right mouse button go back.</li>
        <li>
          Ctrl+A, C, X, V and Z are the phone’s while its screen has the keyboard; what is copied there is copied here.
        </li>
        <li>Hold Ctrl and drag to pinch with a mouse: a second finger mirrors the first.</li>
        <li>Drop an APK on this page to install it.</li>
        <li>Without a mouse: the Elements tab lists what is on the screen, with a button for each.</li>
      </ul>
    </Card>
  );
}
