import { useQuery } from '@tanstack/react-query';
import { Card } from '../../parts/card.tsx';
import { Moment, duration } from '../../parts/time.tsx';
import { countryName, EXIT_NAMES } from '../phones/exit-fields.tsx';
import { modelsQuery } from '../phones/models.ts';
import { PRICES } from '../phones/prices.ts';
import classes from './phone.module.css';
import type { TabProps } from './tab-props.ts';

/** What a phone is, and how to drive it here. */
export function AboutTab({ device }: TabProps) {
  const { model, android, screen, exit, plan, uptime, minutes_today, created_at, driver, problem } = device;
  const { data: models } = useQuery(modelsQuery);
  const modelName = models?.find((one) => one.model === model)?.name ?? model;
  const { amount, per } = PRICES[plan];
  const facts: [name: string, value: React.ReactNode][] = [
    ['Model', `${modelName}, Android ${android}`],
    ['Screen', `${screen.width} × ${screen.height}, ${screen.density} dpi`],
    [
      'Network',
      `${EXIT_NAMES[exit.type] ?? exit.type}, ${countryName(exit.country)}${exit.address === undefined ? '' : `, ${exit.address}`}`,
    ],
    ['Time zone', exit.timezone],
    ['Price', `${amount} USD per ${per}`],
    ['Up for', uptime === 0 ? 'not running' : duration(uptime)],
    ['Minutes today', String(minutes_today)],
    ['Created', <Moment key="created" at={created_at} />],
    ['Kind', driver],
  ];
  if (problem !== undefined) facts.unshift(['Problem', problem.message]);
  return (
    <>
      <Card title="About this phone">
        <dl className={classes.facts}>
          {facts.map(([name, value]) => (
            <div key={name} className={classes.fact}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </Card>
      <Card title="How to drive it">
        <ul className={classes.hints}>
          <li>Click, drag and scroll on the screen; on a touch screen with several fingers at once.</li>
          <li>Click the screen and type, in any script, or paste. Esc and the right mouse button go back.</li>
          <li>Drop an APK on this page to install it.</li>
          <li>Without a mouse: the Elements tab lists what is on the screen, with a button for each.</li>
        </ul>
      </Card>
    </>
  );
}
