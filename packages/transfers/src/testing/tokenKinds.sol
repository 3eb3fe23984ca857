// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Plain ERC-20. `init` instead of a constructor, so that a proxy can stand in front of it.
contract Plain {
    string public name;
    string public symbol;
    uint8 public decimals;
    uint256 public totalSupply;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) internal held;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function init(string calldata itsName, string calldata itsSymbol, uint8 itsDecimals, uint256 supply) external {
        name = itsName;
        symbol = itsSymbol;
        decimals = itsDecimals;
        totalSupply = supply;
        held[msg.sender] = supply;
        log(address(0), msg.sender, supply);
    }

    function log(address from, address to, uint256 value) internal virtual {
        emit Transfer(from, to, value);
    }

    function balanceOf(address holder) public view virtual returns (uint256) {
        return held[holder];
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        held[msg.sender] -= value;
        held[to] += value;
        log(msg.sender, to, value);
        return true;
    }
}

/// Wrapped ether: logs no transfer from or to the zero address. Its supply is the ether that it holds.
contract WrappedEther is Plain {
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);

    function deposit() external payable virtual {
        held[msg.sender] += msg.value;
        totalSupply += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 value) external virtual {
        held[msg.sender] -= value;
        totalSupply -= value;
        payBack(value);
        emit Withdrawal(msg.sender, value);
    }

    function payBack(uint256 value) internal {
        (bool ok,) = msg.sender.call{value: value}("");
        require(ok);
    }
}

/// Wrapped ether that logs each mint and burn twice: as a transfer as well.
contract EchoingEther is WrappedEther {
    function deposit() external payable override {
        held[msg.sender] += msg.value;
        emit Transfer(address(0), msg.sender, msg.value);
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 value) external override {
        held[msg.sender] -= value;
        payBack(value);
        emit Withdrawal(msg.sender, value);
        emit Transfer(msg.sender, address(0), value);
    }
}

/// Can be staked in its own contract, where deposits and withdrawals change no supply.
contract Staked is Plain {
    event Deposit(address indexed account, uint256 value);
    event Withdrawal(address indexed account, uint256 value);

    function stake(uint256 value) external {
        held[msg.sender] -= value;
        held[address(this)] += value;
        emit Deposit(msg.sender, value);
        log(msg.sender, address(this), value);
    }

    function unstake(uint256 value) external {
        held[address(this)] -= value;
        held[msg.sender] += value;
        log(address(this), msg.sender, value);
        emit Withdrawal(msg.sender, value);
    }
}

/// Logs transfers that move nothing.
contract Inventing is Plain {
    function invent(address[] calldata recipients, uint256 value) external {
        for (uint256 i = 0; i < recipients.length; i++) log(msg.sender, recipients[i], value);
    }
}

/// Logs cycles between addresses that hold nothing, which net to zero in a block.
contract Cycling is Plain {
    function cycle(address[] calldata ring, uint256 value) external {
        for (uint256 i = 0; i < ring.length; i++) log(ring[i], ring[(i + 1) % ring.length], value);
    }

    /// An honest one: pays through a router that keeps nothing.
    function route(address router, address to, uint256 value) external {
        held[msg.sender] -= value;
        held[to] += value;
        log(msg.sender, router, value);
        log(router, to, value);
    }
}

/// Tells no balance of the addresses that it names in invented transfers.
contract Hiding is Plain {
    mapping(address => bool) private hidden;

    function invent(address[] calldata recipients, uint256 value) external {
        for (uint256 i = 0; i < recipients.length; i++) {
            hidden[recipients[i]] = true;
            log(msg.sender, recipients[i], value);
        }
    }

    function balanceOf(address holder) public view override returns (uint256) {
        require(!hidden[holder]);
        return held[holder];
    }
}

/// Mints to many holders in the transaction that creates it, when there was no contract before.
contract Airdrop is Plain {
    constructor(address[] memory holders, uint256 value) {
        name = "Airdrop";
        symbol = "DROP";
        decimals = 18;
        totalSupply = holders.length * value;
        for (uint256 i = 0; i < holders.length; i++) {
            held[holders[i]] += value;
            emit Transfer(address(0), holders[i], value);
        }
    }
}

/// Does not index the addresses of its transfers.
contract Unindexed is Plain {
    function log(address from, address to, uint256 value) internal override {
        bytes memory data = abi.encode(from, to, value);
        bytes32 topic = Transfer.selector;
        assembly {
            log1(add(data, 32), mload(data), topic)
        }
    }
}

/// Logs transfers of ERC-20, and of ERC-721 for every whole token, without a function that says so.
contract Hybrid is Plain {
    uint256 private last;

    function logNft(address from, address to) public {
        bytes32 topic = Transfer.selector;
        uint256 id = ++last;
        assembly {
            log4(0, 0, topic, from, to, id)
        }
    }

    function log(address from, address to, uint256 value) internal virtual override {
        emit Transfer(from, to, value);
        if (from != address(0)) for (uint256 i = 0; i < value / 1 ether; i++) logNft(from, to);
    }
}

/// ERC-404 in its later form: counts both of its supplies.
contract Erc404 is Hybrid {
    function erc20TotalSupply() external view returns (uint256) {
        return totalSupply;
    }

    function erc721TotalSupply() external view returns (uint256) {
        return totalSupply / 1 ether;
    }
}

/// The first form of ERC-404: its transfers of ERC-20 are a separate event.
contract FirstErc404 is Hybrid {
    mapping(uint256 => address) public ownerOf;

    event ERC20Transfer(address indexed from, address indexed to, uint256 amount);

    function log(address from, address to, uint256 value) internal override {
        emit ERC20Transfer(from, to, value);
        logNft(from, to);
    }
}

/// Keeps 2 % of each transfer and does not say so in its logs.
contract SilentFee is Plain {
    function transfer(address to, uint256 value) external override returns (bool) {
        uint256 fee = value / 50;
        held[msg.sender] -= value;
        held[to] += value - fee;
        held[address(this)] += fee;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// Keeps 2 % of each transfer, as a separate transfer.
contract LoggedFee is Plain {
    function transfer(address to, uint256 value) external override returns (bool) {
        uint256 fee = value / 50;
        held[msg.sender] -= value;
        held[to] += value - fee;
        held[address(this)] += fee;
        emit Transfer(msg.sender, address(this), fee);
        emit Transfer(msg.sender, to, value - fee);
        return true;
    }
}

/// Multiplies every balance by `tenths` / 10, without a log.
contract Rebasing is Plain {
    uint256 public tenths = 10;

    function setTenths(uint256 next) external {
        tenths = next;
    }

    function balanceOf(address holder) public view override returns (uint256) {
        return held[holder] * tenths / 10;
    }

    function transfer(address to, uint256 value) external override returns (bool) {
        uint256 shares = value * 10 / tenths;
        held[msg.sender] -= shares;
        held[to] += shares;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// ERC-1967 proxy.
contract Proxy {
    bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address implementation) {
        assembly {
            sstore(SLOT, implementation)
        }
    }

    fallback() external {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), sload(SLOT), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

/// NFTs that answer the questions of ERC-20 as well, and none about their interface.
contract MaskedNft {
    string public constant name = "Masks";
    string public constant symbol = "MASK";
    uint8 public constant decimals = 0;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) public ownerOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    function mint(address to) external {
        uint256 id = ++totalSupply;
        ownerOf[id] = to;
        balanceOf[to]++;
        emit Transfer(address(0), to, id);
    }
}

/// NFTs as ERC-721 defines them.
contract Nft is MaskedNft {
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd;
    }
}
