// A verifier that uses nothing but what docs/proof.md says and Node's own crypto: steps 1 to 9 of the page.
// Usage: node stranger.mjs FILE [PUBLIC_KEY_HEX]. Prints "good", or what is wrong and at which version.
import { createHash, createHmac, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const hex = (text) => Buffer.from(text, "hex");
export const text = (value) => Buffer.from(value, "utf8");
export const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
const hmac = (key, ...parts) => createHmac("sha256", key).update(Buffer.concat(parts)).digest();
const NOTHING = Buffer.alloc(0);

function number(size, value) {
  const bytes = Buffer.alloc(size);
  let left = BigInt.asUintN(size * 8, BigInt(value));
  for (let at = size - 1; at >= 0; at -= 1, left >>= 8n) bytes[at] = Number(left & 255n);
  return bytes;
}

function base64(value) {
  const bytes = Buffer.from(value, "base64");
  if (bytes.toString("base64") !== value) throw new Error(`${value} is not base64`);
  return bytes;
}

class Wrong extends Error {}

function check(isRight, version, what) {
  if (!isRight) throw new Wrong(`version ${version}: ${what}`);
}

// 2. The seed of the match

export function matchSeed(serverSeed, matchId, entropies) {
  const added = entropies.flatMap((entropy) => [number(1, entropy.length), entropy]);
  return hmac(serverSeed, text("meydan-seed-1\0"), text(matchId), number(1, entropies.length), ...added);
}

// 3. Chance

const block = (seed, purpose, index) => hmac(seed, text("meydan-chance-1\0"), text(purpose), text("\0"), number(8, index));

export const derived = (seed, purpose) => block(seed, purpose, 0);

export function* words(seed, purpose) {
  for (let index = 0; ; index += 1) {
    const bytes = block(seed, purpose, index);
    for (let at = 0; at < bytes.length; at += 4) yield bytes.readUInt32BE(at);
  }
}

export function below(stream, bound) {
  const limit = 2 ** 32 - (2 ** 32 % bound);
  for (;;) {
    const word = stream.next().value;
    if (word < limit) return word % bound;
  }
}

export function shuffled(seed, purpose, items) {
  const order = [...items];
  const stream = words(seed, purpose);
  for (let i = order.length - 1; i > 0; i -= 1) {
    const j = below(stream, i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

// 4. The envelope

export function core(row) {
  const [kind, command] = [text(row.type), text(row.command_id)];
  const parts = row.sealed.flatMap((part) => [
    number(1, part.seats.length),
    number(1, text(part.type).length),
    number(1, part.commitment.length),
    Buffer.from(part.seats),
    text(part.type),
    part.commitment,
  ]);
  return Buffer.concat([
    number(1, 1),
    number(8, row.version),
    number(4, row.schema_version),
    number(8, row.time_micros),
    number(2, row.seat ?? -1),
    number(1, kind.length),
    number(1, command.length),
    number(4, row.public.length),
    number(1, row.previous_hash.length),
    number(1, row.sealed.length),
    kind,
    command,
    row.public,
    row.previous_hash,
    ...parts,
  ]);
}

// 6. Sealed parts

export const salt = (key, version, index) => hmac(key, text("meydan-salt-1\0"), number(8, version), number(1, index));
export const commitment = (salted, content) => sha256(salted, content);

// 7. Signatures

export const keyId = (key) => sha256(key).toString("hex").slice(0, 16);
export const statement = (head) =>
  Buffer.concat([text("meydan-head-1\0"), text(head.match_id), number(8, head.version), hex(head.hash)]);

export function isSigned(head, key) {
  const jwk = { kty: "OKP", crv: "Ed25519", x: key.toString("base64url") };
  return verify(null, statement(head), createPublicKey({ key: jwk, format: "jwk" }), hex(head.signature));
}

// 8. The file

function envelope(line) {
  const row = JSON.parse(line);
  const sealed = row.sealed.map((part) => ({
    ...part,
    content: part.content === null ? null : base64(part.content),
    commitment: base64(part.commitment),
    salt: base64(part.salt),
  }));
  return { ...row, public: base64(row.public), previous_hash: base64(row.previous_hash), sealed };
}

// 9. Messages: {field number: [values]}, numbers for varints, bytes for what has a length.

function fields(bytes) {
  const found = {};
  const reader = { bytes, at: 0 };
  while (reader.at < bytes.length) {
    const tag = varint(reader);
    let value = varint(reader);
    if (tag % 8 === 2) {
      reader.at += value;
      value = bytes.subarray(reader.at - value, reader.at);
    }
    (found[Math.floor(tag / 8)] ??= []).push(value);
  }
  return found;
}

function varint(reader) {
  for (let value = 0, scale = 1; ; scale *= 128) {
    if (reader.at >= reader.bytes.length) throw new Error("a message ends in the middle");
    const byte = reader.bytes[reader.at++];
    value += (byte % 128) * scale;
    if (byte < 128) return value;
  }
}

function varints(bytes) {
  const reader = { bytes, at: 0 };
  const found = [];
  while (reader.at < bytes.length) found.push(varint(reader));
  return found;
}

const one = (message, field, missing) => message[field]?.[0] ?? missing;

// What a verifier does: 1 to 5

function checkSignature({ head, public_key: digits }, published) {
  const key = hex(digits);
  check(published === undefined || key.equals(hex(published)), 0, "the key is not the published one");
  check(keyId(key) === head.key_id, 0, "the key has another id");
  check(isSigned(head, key), 0, "the signature does not hold");
}

function checkChain({ head }, log) {
  check(log.length === head.version, log.length, `${head.version} envelopes are signed`);
  let previous = Buffer.alloc(32);
  log.forEach((row, index) => {
    check(row.version === index + 1, index + 1, "versions do not count up");
    check(row.previous_hash.equals(previous), row.version, "the previous hash is another");
    row.sealed.forEach((part) => checkPart(row, part));
    previous = sha256(core(row));
  });
  check(previous.equals(hex(head.hash)), log.length, "the last hash is not the signed one");
}

function checkPart(row, part) {
  if (part.content === null) check(part.salt.length === 0, row.version, "a salt without content");
  else check(commitment(part.salt, part.content).equals(part.commitment), row.version, "a commitment is broken");
}

function checkSight(log) {
  const parts = log.flatMap((row) => row.sealed);
  const viewers = [() => true, () => false, ...new Set(parts.flatMap((part) => part.seats))].map((sees) =>
    typeof sees === "function" ? sees : (seats) => seats.includes(sees),
  );
  const isOf = (sees) => parts.every((part) => (part.content !== null) === sees(part.seats));
  check(viewers.some(isOf), log.length, "what is open is not what any viewer may see");
}

function checkBeginning({ head, game }, first) {
  check(first.type === "meydan.match.v1.MatchCreated", 1, "the log has no beginning");
  const created = fields(first.public);
  check(one(created, 1, NOTHING).equals(text(head.match_id)), 1, "another match is signed");
  check(one(created, 2, NOTHING).equals(text(game)), 1, "the header has another game");
}

// 6 to 9

function checkChance({ head }, log) {
  const created = fields(log[0].public);
  const serverSeed = one(fields(log[0].sealed[0].content), 1, NOTHING);
  check(sha256(serverSeed).equals(one(created, 6, NOTHING)), 1, "the server seed is not the one that was committed to");
  checkEnd(log, serverSeed);

  const entropies = created[5].map(() => NOTHING);
  const options = fields(one(fields(one(created, 4)), 2, NOTHING));
  // What is still to be drawn: tiles of the boneyard, or dominoes of the deck.
  let [seed, left] = [null, []];
  for (const row of log) {
    const [name, event] = [row.type.split(".").at(-1), fields(row.public)];
    if (name === "SeatTaken" && seed === null) entropies[one(event, 1, 0)] = one(event, 3, NOTHING);
    if (name === "SeatReleased" && seed === null) entropies[one(event, 1, 0)] = NOTHING;
    if (name === "MatchStarted") seed = matchSeed(serverSeed, head.match_id, entropies);
    checkSealed(row, row.version === 1 ? serverSeed : seed);
    if (name === "RoundDealt") left = checkDeal(seed, row, one(event, 1, 0), entropies.length, one(options, 1, 0));
    if (name === "TileDrawn") check(drawn(row) === left.shift(), row.version, "another tile was drawn");
    if (name === "GameDealt") left = checkDeck(seed, row, event, entropies.length, one(options, 4, 0) === 1);
    if (name === "LineDrawn") left = checkLine(row, varints(one(event, 1, NOTHING)), left);
  }
}

function checkEnd(log, serverSeed) {
  const end = log.findIndex((row) => row.type === "meydan.match.v1.MatchFinished");
  check(end === log.length - 1, log.length, "the log does not end with the match");
  check(one(fields(log[end].public), 2, NOTHING).equals(serverSeed), log.length, "another server seed is shown");
}

function checkSealed(row, key) {
  row.sealed.forEach((part, index) => {
    check(salt(key, row.version, index).equals(part.salt), row.version, "a salt does not come from the seed");
    if (part.type !== "meydan.match.v1.AgentNote") return;
    const chosen = derived(key, `ai/${row.seat}/${row.version - 1}`);
    check(one(fields(part.content), 3, NOTHING).equals(chosen), row.version, "a computer player's seed was chosen");
  });
}

function checkDeal(seed, row, round, seats, handSize) {
  const tiles = shuffled(seed, `domino/round/${round}`, upTo(28));
  const dealt = row.sealed.map((part) => varints(one(fields(part.content), part.type.endsWith(".Hand") ? 2 : 1, NOTHING)));
  for (let seat = 0; seat < seats; seat += 1) {
    const hand = tiles.slice(seat * handSize, (seat + 1) * handSize).sort((a, b) => a - b);
    check(hand.join() === dealt[seat].join(), row.version, `seat ${seat} was dealt another hand`);
  }
  const boneyard = tiles.slice(seats * handSize);
  check(boneyard.join() === dealt[seats].join(), row.version, "another boneyard");
  return boneyard;
}

const upTo = (last) => Array.from({ length: last }, (_, index) => index + 1);

function checkDeck(seed, row, event, seats, isDuel) {
  const game = one(event, 1, 0);
  const kings = Array.from({ length: seats === 2 ? 4 : seats }, (_, index) => index % seats);
  const order = shuffled(seed, `kingdomino/kings/${game}`, kings);
  check(order.join() === varints(one(event, 2, NOTHING)).join(), row.version, "the kings were drawn otherwise");
  const dominoes = shuffled(seed, `kingdomino/deck/${game}`, upTo(48));
  const [deck, aside] = [1, 2].map((field) => varints(one(fields(row.sealed[0].content), field, NOTHING)));
  check(deck.length === (isDuel ? 48 : 12 * seats), row.version, "the deck has another size");
  check([...deck, ...aside].join() === dominoes.join(), row.version, "another deck was dealt");
  return deck;
}

function checkLine(row, line, deck) {
  const next = deck.slice(0, line.length).sort((a, b) => a - b);
  check(line.join() === next.join(), row.version, "another line was drawn");
  return deck.slice(line.length);
}

const drawn = (row) => one(fields(row.sealed[0].content), 1, 0);

export function verifyFile(content, published) {
  const [first, ...lines] = content.trimEnd().split("\n");
  const header = JSON.parse(first);
  check(header.format === "meydan-log" && header.format_version === 2, 0, "this is no file that can be checked");
  const log = lines.map(envelope);
  checkSignature(header, published);
  checkChain(header, log);
  checkSight(log);
  checkBeginning(header, log[0]);
  if (log.some((row) => row.sealed.some((part) => part.content === null))) return "good, as far as it is open";
  checkChance(header, log);
  return "good";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(verifyFile(readFileSync(process.argv[2], "utf8"), process.argv[3]));
  } catch (error) {
    console.log(error instanceof Wrong ? error.message : `not a log: ${error.message}`);
    process.exitCode = 1;
  }
}
