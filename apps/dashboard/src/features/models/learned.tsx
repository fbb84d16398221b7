import type { Model } from '@callsmith/contracts';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { may, useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { Ago } from '../../ui/moment.tsx';
import { toast, toastError } from '../../ui/toast.ts';

/** What `auto` learned about this model on its upstreams, until it expires or is forgotten. */
export function Learned({ model }: { model: Model }) {
  const me = useMe();
  const queryClient = useQueryClient();
  const found = model.routes.filter((route) => route.learned !== null);
  const forget = useMutation({
    mutationFn: () => client.models.forget({ params: { id: model.id } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['models'] });
      toast('Forgotten. The next request detects it again.');
    },
    onError: toastError,
  });
  return (
    <Card
      title="Learned capabilities"
      aside={
        found.length > 0 &&
        may(me, 'admin') && (
          <Button size="xs" variant="default" loading={forget.isPending} onClick={() => forget.mutate()}>
            Forget
          </Button>
        )
      }
    >
      {found.length === 0 ? (
        <Text c="dimmed">Nothing yet. With the strategy auto, an upstream that rejects tools is listed here.</Text>
      ) : (
        <Stack gap="sm">
          {found.map(({ upstreamId, upstream, learned }) => (
            <div key={upstreamId}>
              <Group gap={6}>
                <Text fw={550}>{upstream}</Text>
                <Text c="dimmed" fz="sm">
                  {learned?.nativeTools ? 'supports native tool calls' : 'does not support native tool calls'}
                </Text>
              </Group>
              <Text fz="sm">{learned?.reason}</Text>
              {learned && (
                <Text fz="xs" c="dimmed" component="div">
                  {learned.engineVersion && `${learned.engineVersion} · `}
                  <Ago at={learned.at} /> · expires <Ago at={learned.expiresAt} />
                </Text>
              )}
            </div>
          ))}
        </Stack>
      )}
    </Card>
  );
}
