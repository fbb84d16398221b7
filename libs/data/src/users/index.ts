export {
  deleteKeySession,
  insertConnectLink,
  insertKeySession,
  type KeyOfSession,
  keyOfSession,
} from './key-sessions.ts';
export { consumeLink, findLink, insertLinks } from './one-time-links.ts';
export { deleteSession, insertSession, userOfSession } from './sessions.ts';
export { makeSignInLink } from './sign-in-link.ts';
export {
  emailsOf,
  findUser,
  findUserByEmail,
  findUserByOidc,
  insertUser,
  listUsers,
  removeUser,
  type UserRow,
  type UserRowChange,
  updateUser,
} from './users.ts';
