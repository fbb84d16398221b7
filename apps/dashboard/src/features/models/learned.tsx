import type { Lesson, Model } from '@callsmith/contracts';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { RelativeTime } from '../../ui/timestamp.tsx';
import { toast, toastError } from '../../ui/toast.ts';
import { lessonText } from './lesson-text.ts';

/** What requests taught about this model on its upstreams, until it expires or is forgotten. */
export function Learned({ model }: { model: Model }) {
  const me = useMe();
  const mayForget = hasRole(me, 'admin');
  const forget = useForget(model.id);
  const check = useConstraintCheck(model.id);
  return (
    <Card
      title="Learned capabilities"
      aside={
        mayForget && (
          <Group gap="xs">
            <Button size="xs" variant="default" loading={check.isPending} onClick={() => check.mutate()}>
              Check constraints
            </Button>
            {model.learned.length > 0 && (
              <Button size="xs" variant="default" loading={forget.isPending} onClick={() => forget.mutate(undefined)}>
                Forget all
              </Button>
            )}
          </Group>
        )
      }
    >
      {model.learned.length === 0 ? (
        <Text c="dimmed">
          Nothing yet. Features that an upstream rejects are listed here once a request without them has succeeded.
        </Text>
      ) : (
        <Stack gap="sm">
          {model.learned.map((lesson) => (
            <div key={`${lesson.upstreamId} ${lesson.what}`}>
              <Group gap={6} justify="space-between" wrap="nowrap" align="flex-start">
                <Text>
                  <b>{lesson.upstream}</b>{' '}
                  <Text span c="dimmed" fz="sm">
                    {lessonText(lesson)}
                  </Text>
                </Text>
                {mayForget && (
                  <Button
                    size="compact-xs"
                    flex="none"
                    variant="subtle"
                    color="gray"
                    aria-label={`Forget: ${lesson.upstream} ${lessonText(lesson)}`}
                    onClick={() => forget.mutate(lesson)}
                  >
                    Forget
                  </Button>
                )}
              </Group>
              <Text fz="sm">{lesson.reason}</Text>
              <Text fz="xs" c="dimmed" component="div">
                {lesson.engineVersion && `${lesson.engineVersion} · `}
                <RelativeTime at={lesson.at} /> · expires <RelativeTime at={lesson.expiresAt} />
              </Text>
            </div>
          ))}
        </Stack>
      )}
    </Card>
  );
}

/** Finds out which constraints on decoding the upstreams heed. */
function useConstraintCheck(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => client.models.checkConstraints({ params: { id } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['models'] });
      toast('Checked which constraints the upstreams enforce.');
    },
    onError: toastError,
  });
}

/** Forgets one lesson, or all. */
function useForget(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (lesson: Lesson | undefined) =>
      client.models.forget({
        params: { id },
        query: lesson ? { upstreamId: lesson.upstreamId, what: lesson.what } : {},
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['models'] });
      toast('Forgotten. The next request detects it again.');
    },
    onError: toastError,
  });
}
