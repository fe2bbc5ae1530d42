import { PasswordInput } from '@mantine/core';

interface Props {
  label: string;
  /** Whether it is chosen now, and not typed from memory. */
  isNew: boolean;
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
}

/** A field for the password of a person who signs in, or chooses one. */
export function PasswordField({ label, isNew, value, onChange, error }: Props) {
  return (
    <PasswordInput
      label={label}
      description={isNew ? 'At least 8 characters.' : undefined}
      autoComplete={isNew ? 'new-password' : 'current-password'}
      required
      withAsterisk={false}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={error}
      aria-invalid={error !== undefined}
      visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
    />
  );
}
