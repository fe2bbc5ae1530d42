import { Radio, Stack } from '@mantine/core';
import { type Role, ROLE_WORDS, rolesToGive } from '../../api/rights.ts';
import { useRole } from '../../api/use-right.ts';

interface Props {
  value: Role;
  onChange: (role: Role) => void;
  error?: string | undefined;
}

/** The roles that the signed-in person may give, each with what it includes. */
export function RoleField({ value, onChange, error }: Props) {
  const offered = rolesToGive(useRole());
  return (
    <Radio.Group
      label="Role"
      value={value}
      onChange={(next) => onChange(offered.find((role) => role === next) ?? value)}
      error={error}
    >
      <Stack gap="xs" mt="xs">
        {offered.map((role) => (
          <Radio
            key={role}
            value={role}
            label={`${role.charAt(0).toUpperCase()}${role.slice(1)}: ${ROLE_WORDS[role]}`}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
