import './app/styles.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);

// A browser refuses it where the page came neither by HTTPS nor from this machine; it then shows a page of its own.
if (import.meta.env.PROD && 'serviceWorker' in navigator)
  void navigator.serviceWorker.register('/offline-worker.js').catch(() => {});
