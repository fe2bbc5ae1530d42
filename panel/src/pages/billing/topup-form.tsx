import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Form } from '../../parts/form.tsx';
import forms from '../../parts/forms.module.css';

/** The path to which the payment page sends the browser back. */
const RETURN_PATH = '/billing';

/** Starts a payment: the browser continues on the payment provider's page. */
export function TopupForm({ least, most }: { least: string; most: string }) {
  const [amount, setAmount] = useState('20.00');
  const pay = useMutation({
    mutationFn: () =>
      take(api.POST('/v1/topups', { body: { amount, return_url: `${window.location.origin}${RETURN_PATH}` } })),
    onSuccess: ({ topup }) => {
      if (topup.url !== undefined) window.location.assign(topup.url);
    },
  });
  const { at, rest } = fieldErrors(pay.error, ['amount']);
  return (
    <Form onSubmit={() => pay.mutate()} error={pay.error} className={forms.fields}>
      <div className={forms.line}>
        <TextInput
          label="Amount in USD"
          description={`From ${least} to ${most}`}
          value={amount}
          onChange={({ currentTarget }) => setAmount(currentTarget.value)}
          error={at.amount}
          inputMode="decimal"
          autoComplete="off"
          required
        />
        <Button type="submit" loading={pay.isPending || pay.isSuccess}>
          Go to payment
        </Button>
      </div>
      <ErrorAlert error={rest} />
    </Form>
  );
}
