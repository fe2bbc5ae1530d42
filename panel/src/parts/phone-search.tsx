import { TextInput } from '@mantine/core';

/** The field that narrows a list of many phones. */
export function PhoneSearch({
  by,
  value,
  onChange,
}: {
  /** The placeholder, which names the properties by which the list is searched. */
  by: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <TextInput
      type="search"
      aria-label="Search phones"
      placeholder={by}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
