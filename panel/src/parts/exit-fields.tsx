import { Select } from '@mantine/core';
import type { Schemas } from '../api/client.ts';
import forms from './forms.module.css';

export type NetworkOption = Schemas['NetworkOption'];
export type ExitChoice = Schemas['ExitChoice'];

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region' });

export function countryName(code: string): string {
  return code === 'zz' ? 'Unknown' : (COUNTRIES.of(code.toUpperCase()) ?? code);
}

export const EXIT_NAMES: Record<string, string> = {
  mobile: 'Mobile',
  residential: 'Residential',
  datacenter: 'Data centre',
  direct: 'Direct',
  custom: 'Own proxy',
};

/** Returns the options that phones of a driver can have. */
export function exitsOf(options: readonly NetworkOption[], driver: string): readonly NetworkOption[] {
  return options.filter(({ drivers }) => drivers.includes(driver));
}

/**
 * Returns the exit that is offered first: the host's own connection, where it is on sale. Its country is the browser's, else the United
 * States.
 */
export function firstExit(options: readonly NetworkOption[]): ExitChoice | undefined {
  const direct = options.filter(({ type }) => type === 'direct');
  const offered = direct.length > 0 ? direct : options;
  const [option = offered[0]] = [...browserCountries(), 'us'].flatMap(
    (wanted) => offered.find(({ country }) => country === wanted) ?? [],
  );
  return option === undefined ? undefined : exitOf(option);
}

function exitOf({ type, country, timezones: [timezone] }: NetworkOption): ExitChoice {
  return { type: type as ExitChoice['type'], country, ...(timezone !== undefined && { timezone }) };
}

interface Props {
  exits: readonly NetworkOption[];
  value: ExitChoice;
  onChange: (exit: ExitChoice) => void;
  /** The error of the choice. */
  error?: string | undefined;
}

/** Fields for kind, country and time zone of a network exit. Each offers what is on sale for the field before. */
export function ExitFields({ exits, value, onChange, error }: Props) {
  const types = [...new Set(exits.map(({ type }) => type))];
  const countries = exits.filter(({ type }) => type === value.type);
  const timezones = countries.find(({ country }) => country === value.country)?.timezones ?? [];
  const pick = (matches: (option: NetworkOption) => boolean): void => {
    const option = exits.find(matches);
    if (option !== undefined) onChange(exitOf(option));
  };
  return (
    <div className={forms.pair}>
      <Select
        label="Network"
        data={types.map((type) => ({ value: type, label: EXIT_NAMES[type] ?? type }))}
        value={value.type}
        onChange={(type) => pick((option) => option.type === type)}
        error={error}
        allowDeselect={false}
      />
      <Select
        label="Country"
        data={countries.map(({ country }) => ({ value: country, label: countryName(country) }))}
        value={value.country}
        onChange={(country) => pick((option) => option.type === value.type && option.country === country)}
        allowDeselect={false}
        searchable
      />
      <Select
        label="Time zone"
        data={timezones}
        value={value.timezone ?? timezones[0] ?? null}
        onChange={(timezone) => timezone !== null && onChange({ ...value, timezone })}
        allowDeselect={false}
        searchable
      />
    </div>
  );
}

/** Returns the countries of the browser's languages, in small letters, the likeliest first. A language such as `en` has no country. */
function browserCountries(): string[] {
  return navigator.languages.flatMap((language) => {
    const { region } = new Intl.Locale(language);
    return region === undefined ? [] : [region.toLowerCase()];
  });
}
