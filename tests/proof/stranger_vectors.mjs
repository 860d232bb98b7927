// Computes every example of docs/proof-vectors.json with the stranger's own functions.
// Usage: node stranger_vectors.mjs FILE. Prints "good", or the first section that comes out otherwise.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as stranger from "./stranger.mjs";

const { hex } = stranger;
const digits = (bytes) => bytes.toString("hex");
const computed = (given, compute) => Object.fromEntries(Object.keys(given).map((purpose) => [purpose, compute(purpose)]));

const SECTIONS = {
  "1. Commit": (given) => ({ ...given, server_seed_hash: digits(stranger.sha256(hex(given.server_seed))) }),
  "2. The seed of the match": (given) => ({
    ...given,
    match_seed: digits(stranger.matchSeed(hex(given.server_seed), given.match_id, given.entropies.map(hex))),
  }),
  "3. Chance": (given) => {
    const seed = hex(given.match_seed);
    const tiles = Array.from({ length: 28 }, (_, index) => index + 1);
    const below = (purpose, bound) => stranger.below(stranger.words(seed, purpose), bound);
    const first = (purpose, count) => {
      const stream = stranger.words(seed, purpose);
      return Array.from({ length: count }, () => stream.next().value);
    };
    return {
      match_seed: given.match_seed,
      words: computed(given.words, (purpose) => first(purpose, 10)),
      numbers_below_3000000000: computed(given.numbers_below_3000000000, (purpose) => below(purpose, 3_000_000_000)),
      picks_of_abcdefg: computed(given.picks_of_abcdefg, (purpose) => "abcdefg"[below(purpose, 7)]),
      shuffles_of_1_to_28: computed(given.shuffles_of_1_to_28, (purpose) => stranger.shuffled(seed, purpose, tiles)),
      derived: computed(given.derived, (purpose) => digits(stranger.derived(seed, purpose))),
    };
  },
  "4. The envelope": (given) => {
    const parts = given.sealed.map((part) => ({ ...part, commitment: hex(part.commitment) }));
    const row = { ...given, public: hex(given.public), previous_hash: hex(given.previous_hash), sealed: parts };
    const core = stranger.core(row);
    return { ...given, core: digits(core), hash: digits(stranger.sha256(core)) };
  },
  "6. Sealed parts": (given) => {
    const salt = stranger.salt(hex(given.key), given.version, given.index);
    return { ...given, salt: digits(salt), commitment: digits(stranger.commitment(salt, hex(given.content))) };
  },
  "7. Signatures": (given) => {
    const key = hex(given.public_key);
    assert(stranger.isSigned(given.head, key));
    return { ...given, statement: digits(stranger.statement(given.head)), head: { ...given.head, key_id: stranger.keyId(key) } };
  },
  "8. The file": (given, all) => {
    assert.equal(stranger.verifyFile(given.join("\n"), all["7. Signatures"].public_key), "good");
    return given;
  },
};

const vectors = JSON.parse(readFileSync(process.argv[2], "utf8"));
assert.deepEqual(Object.keys(SECTIONS), Object.keys(vectors));
for (const [title, compute] of Object.entries(SECTIONS)) assert.deepEqual(compute(vectors[title], vectors), vectors[title], title);
console.log("good");
