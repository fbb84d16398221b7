// Where a page is opened and neither the gateway nor its proxy has an answer, the browser shows ours instead of its own.
// Only pages: nothing else is kept or answered here.
const PAGE = '/offline.html';

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open('offline').then((cache) => cache.add(new Request(PAGE, { cache: 'reload' }))));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  // Files that are exported, and single sign-on, are opened as pages too.
  if (request.mode !== 'navigate' || new URL(request.url).pathname.startsWith('/api/')) return;
  event.respondWith(
    fetch(request)
      .then((answer) => ([502, 503, 504].includes(answer.status) ? caches.match(PAGE) : answer))
      .catch(() => caches.match(PAGE))
      .then((answer) => answer ?? Response.error()),
  );
});
