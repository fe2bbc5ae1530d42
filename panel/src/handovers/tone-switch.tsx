import { Menu } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import classes from './handovers.module.css';
import { allowTone, playTone } from './tone.ts';

/**
 * Returns whether a tone is played when a phone waits, and the function that changes it. The browser keeps the choice. Without one the tone
 * is on, except for people who want few movements: they want few surprises too.
 */
export function useToneSwitch(): [isOn: boolean, setOn: (isOn: boolean) => void] {
  const [choice, choose] = useLocalStorage<'on' | 'off' | 'none'>({
    key: 'handover-tone',
    // The default is stored too, so it must not be a choice.
    defaultValue: 'none',
    getInitialValueInEffect: false,
  });
  const isUsual = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  return [choice === 'none' ? isUsual : choice === 'on', (isOn) => choose(isOn ? 'on' : 'off')];
}

/** The item of a menu that turns the tone on and off. Turned on, it plays the tone once. */
export function ToneSwitch() {
  const [isOn, setOn] = useToneSwitch();
  return (
    <Menu.CheckboxItem
      checked={isOn}
      rightSection={
        <span className={classes.quiet} aria-hidden>
          {isOn ? 'On' : 'Off'}
        </span>
      }
      onChange={(checked) => {
        setOn(checked);
        if (!checked) return;
        allowTone();
        playTone();
      }}
    >
      Tone when a phone needs you
    </Menu.CheckboxItem>
  );
}
