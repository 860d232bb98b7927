#!lua name=meydan

-- Appends the events of one command to a match's log, if the log stands at the expected version.
-- A function does not roll back, so everything is checked before the first write.
--
-- keys: log (stream), match (hash), outbox (stream), index of waiting, playing and finished matches (sorted sets)
-- args: match id, expected version, command id, digest, status (1 waiting, 2 playing, 3 finished), number of records,
--       the records, then kind and payload of each piece of work
-- answers: {0, first, version} written; {1, first, version} repeated; {2, version} conflict; {3} command id reused
local FIRST_INDEX, FIRST_RECORD = 3, 7
local GROUP = 'dispatch'

local function found(record, digest)
  local first, version, known = string.match(record, '^(%d+) (%d+) (.*)$')
  if known ~= digest then return {3} end
  return {1, tonumber(first), tonumber(version)}
end

local function replace_work(outbox, old, args, first_work)
  if old then
    for id in string.gmatch(old, '%S+') do
      redis.call('XACK', outbox, GROUP, id)
      redis.call('XDEL', outbox, id)
    end
  end
  local ids = {}
  for at = first_work, #args, 2 do
    ids[#ids + 1] = redis.call('XADD', outbox, '*', 'match', args[1], 'kind', args[at], 'payload', args[at + 1])
  end
  return table.concat(ids, ' ')
end

local function append(keys, args)
  local log, match, outbox = keys[1], keys[2], keys[3]
  local known = redis.call('HMGET', match, 'version', 'status', 'work', 'c:' .. args[3])
  if known[4] then return found(known[4], args[4]) end
  local version, expected = tonumber(known[1] or 0), tonumber(args[2])
  if version ~= expected then return {2, version} end
  local count = tonumber(args[6])
  if count < 1 or #args < FIRST_RECORD - 1 + count then return redis.error_reply('ERR meydan: incomplete append') end

  for i = 1, count do
    redis.call('XADD', log, (expected + i) .. '-0', 'e', args[FIRST_RECORD - 1 + i])
  end
  version = expected + count
  local first = expected + 1
  local old_work = known[3]
  local first_work = FIRST_RECORD + count
  if (old_work and old_work ~= '') or first_work <= #args then
    redis.call('HSET', match, 'work', replace_work(outbox, old_work, args, first_work))
  end
  redis.call('HSET', match, 'version', version, 'c:' .. args[3], first .. ' ' .. version .. ' ' .. args[4])
  if known[2] ~= args[5] then
    if known[2] then redis.call('ZREM', keys[FIRST_INDEX + known[2]], args[1]) end
    redis.call('ZADD', keys[FIRST_INDEX + args[5]], 0, args[1])
    redis.call('HSET', match, 'status', args[5])
  end
  redis.call('PUBLISH', log, version)
  return {0, first, version}
end

redis.register_function('meydan_append', append)
